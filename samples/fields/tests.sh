# The tests of fields as somebody may have them: each line calls the program, {}.
printf 'a:b:c\n' | {} -d : -f 2
printf 'a:b:c\n' | {} -d : -f 1,3
printf 'abcdef\n' | {} -b 2-4
printf 'abcdef\n' | {} -b 1,3 -o -
{} --help
{} -f 0 < /dev/null
