// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

int256 constant MAX_TICK = 887272;

/// Square root of 1.0001^tick as a Q64.96, equal to `getSqrtRatioAtTick` of Uniswap v3-core 1.0.1 (TickMath).
/// @param tick between -MAX_TICK and MAX_TICK
function sqrtPriceAt(int256 tick) pure returns (uint256 price) {
    assembly ("memory-safe") {
        let x := xor(sub(0, slt(tick, 0)), add(tick, sub(0, slt(tick, 0))))
        let ratio := shl(127, 2)
        if and(x, 0x1) { ratio := 0xfffcb933bd6fad37aa2d162d1a594001 }
        if and(x, 0x2) { ratio := shr(128, mul(ratio, 0xfff97272373d413259a46990580e213a)) }
        if and(x, 0x4) { ratio := shr(128, mul(ratio, 0xfff2e50f5f656932ef12357cf3c7fdcc)) }
        if and(x, 0x8) { ratio := shr(128, mul(ratio, 0xffe5caca7e10e4e61c3624eaa0941cd0)) }
        if and(x, 0x10) { ratio := shr(128, mul(ratio, 0xffcb9843d60f6159c9db58835c926644)) }
        if and(x, 0x20) { ratio := shr(128, mul(ratio, 0xff973b41fa98c081472e6896dfb254c0)) }
        if and(x, 0x40) { ratio := shr(128, mul(ratio, 0xff2ea16466c96a3843ec78b326b52861)) }
        if and(x, 0x80) { ratio := shr(128, mul(ratio, 0xfe5dee046a99a2a811c461f1969c3053)) }
        if and(x, 0x100) { ratio := shr(128, mul(ratio, 0xfcbe86c7900a88aedcffc83b479aa3a4)) }
        if and(x, 0x200) { ratio := shr(128, mul(ratio, 0xf987a7253ac413176f2b074cf7815e54)) }
        if and(x, 0x400) { ratio := shr(128, mul(ratio, 0xf3392b0822b70005940c7a398e4b70f3)) }
        if and(x, 0x800) { ratio := shr(128, mul(ratio, 0xe7159475a2c29b7443b29c7fa6e889d9)) }
        if and(x, 0x1000) { ratio := shr(128, mul(ratio, 0xd097f3bdfd2022b8845ad8f792aa5825)) }
        if and(x, 0x2000) { ratio := shr(128, mul(ratio, 0xa9f746462d870fdf8a65dc1f90e061e5)) }
        if and(x, 0x4000) { ratio := shr(128, mul(ratio, 0x70d869a156d2a1b890bb3df62baf32f7)) }
        if and(x, 0x8000) { ratio := shr(128, mul(ratio, 0x31be135f97d08fd981231505542fcfa6)) }
        if and(x, 0x10000) { ratio := shr(128, mul(ratio, 0x9aa508b5b7a84e1c677de54f3e99bc9)) }
        if and(x, 0x20000) { ratio := shr(128, mul(ratio, 0x5d6af8dedb81196699c329225ee604)) }
        if and(x, 0x40000) { ratio := shr(128, mul(ratio, 0x2216e584f5fa1ea926041bedfe98)) }
        if and(x, 0x80000) { ratio := shr(128, mul(ratio, 0x48a170391f7dc42444e8fa2)) }
        if sgt(tick, 0) { ratio := div(not(0), ratio) }
        price := shr(32, add(ratio, 0xffffffff))
    }
}

/// Lower bound of the input, without the fee, that `liquidity` absorbs while the square-root price moves to `edge`.
function absorbedBetween(bool down, uint256 price, uint256 edge, uint256 liquidity) pure returns (uint256) {
    unchecked {
        if (down) return _subtractOrZero((liquidity << 96) / edge, (liquidity << 96) / price + 1);
        return _subtractOrZero(_timesPrice(liquidity, edge - price), 2);
    }
}

/// a - b, at least 0.
function _subtractOrZero(uint256 a, uint256 b) pure returns (uint256) {
    unchecked {
        return a > b ? a - b : 0;
    }
}

/// x * price / 2^96, rounded up; saturates at 256 bits.
function _timesPrice(uint256 x, uint256 price) pure returns (uint256) {
    unchecked {
        // x * price in 512 bits
        uint256 high;
        uint256 low;
        assembly ("memory-safe") {
            let m := mulmod(x, price, not(0))
            low := mul(x, price)
            high := sub(sub(m, low), lt(m, low))
        }
        if (high >> 96 != 0) return type(uint256).max;
        uint256 whole = (high << 160) | (low >> 96);
        return whole == type(uint256).max ? whole : whole + 1;
    }
}

/// Index of the highest bit set in `x`, which must not be 0.
function highestBit(uint256 x) pure returns (uint256 bit) {
    assembly ("memory-safe") {
        bit := shl(7, lt(0xffffffffffffffffffffffffffffffff, x))
        bit := or(bit, shl(6, lt(0xffffffffffffffff, shr(bit, x))))
        bit := or(bit, shl(5, lt(0xffffffff, shr(bit, x))))
        bit := or(bit, shl(4, lt(0xffff, shr(bit, x))))
        bit := or(bit, shl(3, lt(0xff, shr(bit, x))))
        bit := or(bit, shl(2, lt(0xf, shr(bit, x))))
        bit := or(bit, shl(1, lt(0x3, shr(bit, x))))
        bit := or(bit, lt(0x1, shr(bit, x)))
    }
}
