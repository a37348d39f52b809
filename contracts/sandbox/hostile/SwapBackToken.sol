// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TaxedToken} from "./TaxedToken.sol";

interface ISwapBackPair {
    function token0() external view returns (address);
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 at);
    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external;
}

/// Sells its collected taxes into the pair during a user's sale, before the sale's tokens arrive: a swap computed from
/// earlier reserves then pays less than expected.
contract SwapBackToken is TaxedToken {
    address public pair;
    address public collector;
    uint256 public threshold;
    bool private selling;

    constructor(string memory symbol_, address holder, uint256 supply, uint16[3] memory bps)
        TaxedToken(symbol_, holder, supply, bps)
    {}

    function sellInto(address pair_, address collector_, uint256 threshold_) external {
        (pair, collector, threshold) = (pair_, collector_, threshold_);
    }

    function _move(address from, address to, uint256 amount) internal override {
        bool full = threshold > 0 && ledger[address(this)] >= threshold;
        if (full && !selling && to == pair && !exempt[from]) _swapBack();
        super._move(from, to, amount);
    }

    function _swapBack() private {
        selling = true;
        uint256 amount = threshold;
        (uint256 reserve0, uint256 reserve1,) = ISwapBackPair(pair).getReserves();
        bool zeroForOne = ISwapBackPair(pair).token0() == address(this);
        (uint256 reserveIn, uint256 reserveOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        super._move(address(this), pair, amount);
        uint256 out = amount * 997 * reserveOut / (reserveIn * 1000 + amount * 997);
        ISwapBackPair(pair).swap(zeroForOne ? 0 : out, zeroForOne ? out : 0, collector, "");
        selling = false;
    }
}
