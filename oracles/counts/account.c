/* An account with guards: start at session. Money goes in, then out, then (when asked) out again;
   the counter of withdrawals must not pass its limit. The result tells all that a caller can see. */
#include <assert.h>

static int balance;
static int withdrawals;
static int refused;

static void open_account(int opening)
{
    balance = 0;
    withdrawals = 0;
    refused = 0;
    if (opening > 0)
        balance = opening;
}

static void deposit(int amount)
{
    if (amount <= 0) {
        refused++;
        return;
    }
    balance = balance + amount;
    if (balance > 50)
        balance = balance + 1;
}

static void withdraw(int amount)
{
    if (amount <= 0 || amount > balance) {
        refused = refused + 1;
        return;
    }
    if (withdrawals >= 2)
        assert(balance < 0);
    balance = balance - amount;
    withdrawals++;
}

int session(int opening, int paid, int taken)
{
    open_account(opening);
    deposit(paid);
    withdraw(taken);
    if (balance < 10 && paid > 0)
        withdraw(paid);
    return balance + 1000 * withdrawals + 10000 * refused;
}
