/* Numbers in the order of the network, whose first byte is the highest: POSIX htonl.
 *
 *     htonl(0x01020304)   ->   0x04030201 */

typedef unsigned short uint16;
typedef unsigned int uint32;

uint16 htons(uint16 n) { return (uint16) (n << 8 | n >> 8); }
uint16 ntohs(uint16 n) { return htons(n); }

uint32 htonl(uint32 n)
{
    return n << 24 | (n & 0xff00) << 8 | (n >> 8 & 0xff00) | n >> 24;
}

uint32 ntohl(uint32 n) { return htonl(n); }
