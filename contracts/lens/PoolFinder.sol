// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./BoundedReads.sol";

/// Where the pool of a slot is, and what it says about itself. Never swaps.
abstract contract PoolFinder {
    /// How a factory is asked for a pool, and which part of a slot is the third argument: 0 none, 1 fee, 2 spacing.
    function _selectorOf(uint8 kind) internal pure returns (bytes4 selector, uint256 third) {
        if (kind == KIND_V3) return (0x1698ee82, 1);
        if (kind == KIND_SLIPSTREAM) return (0x28af8d0b, 2);
        if (kind == KIND_ALGEBRA) return (0xd9a641e1, 0);
        if (kind == KIND_SOLIDLY) return (0x79bc57d5, 1);
        if (kind == KIND_SOLIDLY_PAIR) return (0x6801cc30, 1);
        return (0xe6a43905, 0); // getPair(a,b)
    }

    /// First words of many pools of a singleton, in one call.
    /// @param slots storage slots; overwritten by the words
    /// @return ok all were read
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

    /// @return ok the pool told both
    /// @return price sqrtPriceX96 of concentrated pools, 0 when there is none
    /// @return liquidity in-range liquidity
    function _range(Leg memory leg, bytes32 id) internal view returns (bool ok, uint160 price, uint128 liquidity) {
        uint256 word;
        if (leg.kind >= KIND_V4) {
            (ok, word) = _singletonWord(leg.pool, id, 0);
            price = uint160(word);
            if (ok) (ok, word) = _singletonWord(leg.pool, id, 3);
            return (ok, price, uint128(word));
        }
        (ok, word) = readWord(leg.pool, leg.kind == KIND_ALGEBRA ? bytes4(0xe76c01e4) : bytes4(0x3850c7bd), 0, 0, 0);
        price = uint160(word);
        if (ok) (ok, word) = readWord(leg.pool, 0x1a686502, 0, 0, 0);
        return (ok, price, uint128(word));
    }

    /// Reserves seen from tokenIn.
    function _reserves(Leg memory leg) internal view returns (bool ok, uint256 reserveIn, uint256 reserveOut) {
        uint256 size;
        uint256[5] memory words;
        (ok, size, words) = readWords(leg.pool, 0x0902f1ac);
        if (!ok || size < 2) return (false, 0, 0);
        (reserveIn, reserveOut) = leg.tokenIn < leg.tokenOut ? (words[0], words[1]) : (words[1], words[0]);
    }

    /// The fee a reader would call the pool's, in millionths. What a swap really costs is in its fill.
    function _feePips(Leg memory leg, bytes32 id, address factory) internal view returns (uint256 pips) {
        uint8 kind = leg.kind;
        uint256 word;
        if (kind == KIND_V2 || kind == KIND_V3) return leg.fee;
        if (kind >= KIND_V4) {
            (, word) = _singletonWord(leg.pool, id, 0);
            return (word >> 208) & 0xffffff;
        }
        if (kind == KIND_SLIPSTREAM) {
            (, word) = readWord(leg.pool, 0xddca3f43, 0, 0, 0);
            return word > 1e6 ? 0 : word;
        }
        if (kind == KIND_ALGEBRA) {
            // Word 2 is the fee in v1 and Integral; Camelot's v1.9 has one fee a direction in words 2 and 3.
            (, uint256 size, uint256[5] memory state) = readWords(leg.pool, 0xe76c01e4);
            word = size == 8 && leg.tokenIn > leg.tokenOut ? state[3] : state[2];
            return word > 1e6 ? 0 : word;
        }
        if (kind == KIND_SELF_PRICED_PAIR) {
            (,, uint256[5] memory state) = readWords(leg.pool, 0x0902f1ac);
            word = leg.tokenIn < leg.tokenOut ? state[2] : state[3];
            return word > 1e5 ? 0 : word * 10; // Camelot: of 100,000
        }
        (, word) = readWord(factory, 0xcc56b2c5, uint256(uint160(leg.pool)), leg.fee, 0);
        return word > 1e4 ? 0 : word * 100; // getFee(pool, stable): basis points
    }

    function _singletonWord(address manager, bytes32 id, uint256 offset) private view returns (bool, uint256) {
        return readWord(manager, 0x1e2eaeaf, _slotOf(id) + offset, 0, 0);
    }

    /// PoolManager keeps its pools in the mapping at slot 6; slot0 is the first word, liquidity the fourth.
    function _slotOf(bytes32 id) private pure returns (uint256 slot) {
        assembly ("memory-safe") {
            mstore(0, id)
            mstore(32, 6)
            slot := keccak256(0, 64)
        }
    }

    function _wrapped() internal view virtual returns (address);
}
