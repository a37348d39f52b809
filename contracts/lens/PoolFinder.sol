// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./BoundedReads.sol";
import "./PoolCalls.sol";

/// Looks up a candidate pool and reads its state. Never swaps.
abstract contract PoolFinder is Families {
    /// How to look up a pool of two tokens in a factory of this kind.
    /// @param kind a KIND_ constant of a family whose pools are contracts of their own; not of a singleton
    /// @return selector of the factory's function, which receives the two tokens and returns the pool's address
    /// @return third field of the leg to send as the third argument: 0 = none, 1 = `fee`, 2 = `spacing`
    function _selectorOf(uint256 kind) internal pure returns (bytes4 selector, uint256 third) {
        if (kind == KIND_V3) return (0x1698ee82, 1); // getPool(address,address,uint24)
        if (kind == KIND_SLIPSTREAM) return (0x28af8d0b, 2); // getPool(address,address,int24)
        if (kind == KIND_ALGEBRA) return (0xd9a641e1, 0); // poolByPair(address,address)
        if (kind == KIND_SOLIDLY) return (0x79bc57d5, 1); // getPool(address,address,bool)
        if (kind == KIND_SOLIDLY_PAIR) return (0x6801cc30, 1); // getPair(address,address,bool)
        return (0xe6a43905, 0); // getPair(address,address)
    }

    /// Reads many storage slots of a singleton in one call.
    /// @param slots storage slots; overwritten with their words
    /// @return ok whether all were read
    function _readSlots(address manager, uint256[] memory slots) internal view returns (bool ok) {
        assembly ("memory-safe") {
            let count := mload(slots)
            let size := shl(5, count)
            let call_ := mload(0x40)
            mstore(call_, shl(224, 0xdbd035ff)) // extsload(bytes32[])
            mstore(add(call_, 4), 32)
            mcopy(add(call_, 36), slots, add(size, 32))
            ok := staticcall(add(300000, mul(count, 2500)), manager, call_, add(size, 68), call_, add(size, 64))
            ok := and(ok, gt(returndatasize(), add(size, 63)))
            ok := and(ok, eq(mload(add(call_, 32)), count))
            if ok { mcopy(add(slots, 32), add(call_, 64), size) }
        }
    }

    /// Reads the state that a pool reports, so that a pool without a usable state is not filled. It does not measure the
    /// fee that a swap pays; a fill does.
    /// @param found its leg names the kind, the pool and the direction, and `id` the pool of a singleton. Writes `price`
    /// and `liquidity` of a concentrated pool, or the reserves (`price` = that of tokenIn) of a pair.
    /// @return ok whether all of it was read; an uninitialised pool has a price of 0
    function _readState(Found memory found) internal view returns (bool ok) {
        unchecked {
            Leg memory leg = found.leg;
            uint256 kind = leg.kind;
            uint256 word;
            if (_hasSingletons() && kind >= KIND_V4) {
                (ok, word) = _singletonWord(leg.pool, found.id, 0);
                found.price = uint160(word);
                if (ok) (ok, word) = _singletonWord(leg.pool, found.id, 3);
                found.liquidity = uint128(word);
                return ok;
            }
            uint256 size;
            uint256[5] memory words;
            bool concentrated = isConcentrated(kind);
            bytes4 selector = 0x0902f1ac; // getReserves()
            if (concentrated) selector = kind == KIND_ALGEBRA ? bytes4(0xe76c01e4) : bytes4(0x3850c7bd); // globalState(), slot0()
            (ok, size, words) = readWords(leg.pool, selector);
            if (!ok || size < 2) return false;
            if (!concentrated) {
                (found.price, found.reserveOut) = leg.tokenIn < leg.tokenOut ? (words[0], words[1]) : (words[1], words[0]);
                return true;
            }
            found.price = uint160(words[0]);
            (ok, word) = readWord(leg.pool, 0x1a686502, 0, 0); // liquidity()
            found.liquidity = uint128(word);
        }
    }

    /// A word of a singleton's pool, read by extsload(bytes32).
    function _singletonWord(address manager, bytes32 id, uint256 offset) private view returns (bool, uint256) {
        return readWord(manager, 0x1e2eaeaf, _slotOf(id) + offset, 0);
    }

    /// Storage slot of a pool in PoolManager's mapping at slot 6. Its first word is slot0, its fourth the liquidity.
    function _slotOf(bytes32 id) internal pure returns (uint256 slot) {
        assembly ("memory-safe") {
            mstore(0, id)
            mstore(32, 6)
            slot := keccak256(0, 64)
        }
    }

    function _poolId(Leg memory leg) internal view returns (bytes32 id) {
        (address a, address b) = leg.tokenIn < leg.tokenOut ? (leg.tokenIn, leg.tokenOut) : (leg.tokenOut, leg.tokenIn);
        if (leg.kind == KIND_V4_NATIVE) (a, b) = (address(0), a == _wrapped() ? b : a);
        assembly ("memory-safe") {
            let key := mload(0x40)
            mstore(key, a)
            mstore(add(key, 32), b)
            mcopy(add(key, 64), add(leg, 128), 96) // fee, spacing, hooks
            id := keccak256(key, 160)
        }
    }

    /// @return status after the state was read: EMPTY or UNREAD if the pool cannot be filled, otherwise NOT_REQUESTED
    function _statusAfterRead(Found memory found, bool wasRead) internal pure returns (uint256) {
        if (!wasRead) return UNREAD;
        if (!isConcentrated(found.leg.kind)) return NOT_REQUESTED;
        if (found.price == 0) return EMPTY;
        return found.price < MIN_SQRT || found.price > MAX_SQRT ? UNREAD : NOT_REQUESTED;
    }

    /// Whether tokenIn is currency 0 of the pool, so that its sale lowers the price.
    function _isZeroForOne(Leg memory leg) internal view returns (bool) {
        if (_hasSingletons() && leg.kind == KIND_V4_NATIVE) return leg.tokenIn == _wrapped();
        return leg.tokenIn < leg.tokenOut;
    }

    /// The square-root price, moved against the seller by the factor part/whole.
    function _moved(Leg memory leg, uint256 price, uint256 part, uint256 whole) internal view returns (uint256) {
        unchecked {
            if (_isZeroForOne(leg)) {
                price = price * part / whole;
                return price <= MIN_SQRT ? MIN_SQRT + 1 : price;
            }
            price = price * whole / part;
            return price >= MAX_SQRT ? MAX_SQRT - 1 : price;
        }
    }

    /// The wrapped native token.
    function _wrapped() internal view virtual returns (address);
}
