// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PoolFinder.sol";
import "./Ticks.sol";
import "./Sizes.sol";

/// Reads a concentrated pool's ticks in the direction of the sale, as a swap would cross them. Reading a tick costs a
/// third of crossing it, and a partial read keeps its result.
abstract contract Reaches is PoolFinder {
    /// Starts at the pool's price and finds the first tick in the direction of the sale.
    function _beginReach(Found memory found) internal view {
        unchecked {
            Reach memory reach = found.reach;
            Leg memory leg = found.leg;
            (reach.price, reach.liquidity) = (found.price, found.liquidity);
            (found.edge, reach.edge) = (found.price, found.price);
            int256 spacing = leg.spacing;
            if (spacing == 0) {
                (, uint256 word) = readWord(leg.pool, 0xd0c93a7c, 0, 0); // tickSpacing()
                spacing = int256(word);
            }
            reach.ended = 2;
            if (spacing <= 0 || spacing > 32767 || found.tick > MAX_TICK || found.tick < -MAX_TICK) return;
            (reach.ended, reach.spacing) = (0, spacing);
            int256 index = found.tick / spacing;
            if (found.tick < 0 && found.tick % spacing != 0) index--;
            reach.wordIndex = type(int256).max;
            _findEdge(found, _isZeroForOne(leg) ? index : index + 1);
            found.edge = reach.edge;
        }
    }

    /// Crosses the next tick: adds the amounts up to it, and finds the one after it.
    function _cross(Found memory found) internal view {
        unchecked {
            Reach memory reach = found.reach;
            bool down = _isZeroForOne(found.leg);
            (uint256 taken, uint256 sent) = _between(down, reach.price, reach.edge, reach.liquidity);
            reach.taken += taken;
            reach.sent = reach.sent + sent < sent ? type(uint256).max : reach.sent + sent;
            reach.price = reach.edge;
            reach.crossed++;
            if (reach.inUse == 1) {
                (bool ok, int256 net) = _readNet(found, reach.index * reach.spacing);
                if (!ok) {
                    reach.ended = 2;
                    return;
                }
                reach.liquidity = uint128(uint256(int256(reach.liquidity) + (down ? -net : net)));
            }
            _findEdge(found, down ? reach.index - 1 : reach.index + 1);
        }
    }

    /// Sets the edge to the first initialised tick from `index` on, or to the end of its bitmap word. If the bitmap
    /// cannot be read, the edge stays at the price, so that the bound uses this price.
    function _findEdge(Found memory found, int256 index) private view {
        unchecked {
            Reach memory reach = found.reach;
            if (reach.wordIndex != index >> 8) {
                (bool ok, uint256 read) = _readBitmap(found, index >> 8);
                if (!ok) {
                    reach.ended = 2;
                    return;
                }
                (reach.wordIndex, reach.word) = (index >> 8, read);
            }
            bool down = _isZeroForOne(found.leg);
            uint256 bit = uint256(index) & 255;
            uint256 ahead = down ? reach.word << (255 - bit) : reach.word >> bit;
            uint256 steps = down ? bit : 255 - bit;
            if (ahead != 0) steps = down ? 255 - highestBit(ahead) : highestBit(ahead & (~ahead + 1));
            reach.inUse = ahead == 0 ? 0 : 1;
            reach.index = down ? index - int256(steps) : index + int256(steps);
            int256 tick = reach.index * reach.spacing;
            if (tick >= MAX_TICK || tick <= -MAX_TICK) {
                (reach.ended, reach.edge) = (1, down ? MIN_SQRT : MAX_SQRT);
                return;
            }
            reach.edge = sqrtPriceAt(tick);
            // The pool reported a false tick: its price is beyond the edge.
            if (down ? reach.edge > reach.price : reach.edge < reach.price) (reach.ended, reach.edge) = (2, reach.price);
        }
    }

    /// Lower bound of the input and upper bound of the output of `liquidity` between two square-root prices.
    function _between(bool down, uint256 price, uint256 edge, uint256 liquidity)
        internal
        pure
        returns (uint256 taken, uint256 sent)
    {
        unchecked {
            if (down) {
                taken = _subtractOrZero((liquidity << 96) / edge, (liquidity << 96) / price + 1);
                sent = _timesPrice(liquidity, price - edge);
            } else {
                taken = _subtractOrZero(_timesPrice(liquidity, edge - price), 2);
                sent = (liquidity << 96) / price + 1 - (liquidity << 96) / edge;
            }
        }
    }

    function _readBitmap(Found memory found, int256 wordIndex) private view returns (bool, uint256) {
        Leg memory leg = found.leg;
        if (leg.kind < KIND_V4) return readWord(leg.pool, 0x5339c296, uint256(wordIndex), 0); // tickBitmap(int16)
        return _readOfPool(found, 5, wordIndex);
    }

    /// Change of the liquidity when the price rises through the tick.
    function _readNet(Found memory found, int256 tick) private view returns (bool ok, int256 net) {
        Leg memory leg = found.leg;
        uint256 word;
        if (leg.kind < KIND_V4) {
            (ok, word) = readSecondWord(leg.pool, 0xf30dba93, uint256(tick)); // ticks(int24)
            return (ok, int128(int256(word)));
        }
        (ok, word) = _readOfPool(found, 4, tick);
        return (ok, int256(word) >> 128);
    }

    /// Reads an entry of a singleton pool's mapping: 4 = ticks, 5 = tick bitmap.
    function _readOfPool(Found memory found, uint256 mapping_, int256 key) private view returns (bool, uint256) {
        unchecked {
            uint256 base = _slotOf(found.id) + mapping_;
            uint256 slot;
            assembly ("memory-safe") {
                mstore(0, key)
                mstore(32, base)
                slot := keccak256(0, 64)
            }
            return readWord(found.leg.pool, 0x1e2eaeaf, slot, 0); // extsload(bytes32)
        }
    }

    /// a - b, at least 0.
    function _subtractOrZero(uint256 a, uint256 b) internal pure returns (uint256) {
        unchecked {
            return a > b ? a - b : 0;
        }
    }

    /// x * price / 2^96, rounded up; saturates at 256 bits.
    function _timesPrice(uint256 x, uint256 price) internal pure returns (uint256) {
        unchecked {
            (uint256 high, uint256 low) = product(x, price);
            if (high >> 96 != 0) return type(uint256).max;
            uint256 whole = (high << 160) | (low >> 96);
            return whole == type(uint256).max ? whole : whole + 1;
        }
    }
}
