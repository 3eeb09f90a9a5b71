#include "board.h"
#include "tables.h"

int kings(int square) {
    int near = lanes[7 - square % 8];
    switch (square / 8) {
    case 0:
        return near + 30;
    case PIECES:
        return near / 2;
    }
    return near;
}
