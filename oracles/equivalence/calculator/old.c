/* A pocket calculator for postfix notation with single digits: calculate("34+") is 7; -1 for what
   it cannot read. */
#define DEPTH 4

int calculate(const char *text)
{
    int stack[DEPTH];
    int top = 0;

    for (; *text; text++) {
        if (*text >= '0' && *text <= '9') {
            if (top == DEPTH)
                return -1;
            stack[top++] = *text - '0';
            continue;
        }
        if (top < 2)
            return -1;
        switch (*text) {
        case '+':
            stack[top - 2] = stack[top - 2] + stack[top - 1];
            break;
        case '-':
            stack[top - 2] = stack[top - 2] - stack[top - 1];
            break;
        case '*':
            stack[top - 2] = stack[top - 2] * stack[top - 1];
            break;
        default:
            return -1;
        }
        top--;
    }
    return top == 1 ? stack[0] : -1;
}
