// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Answers like a Uniswap v2 pair with ample reserves, and reverts every swap. It also emits the event of a pair's factory.
contract FalsePair {
    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);

    error NoSwap();

    address public immutable token0;
    address public immutable token1;
    uint112 private immutable reserve;

    constructor(address a, address b, uint112 reserve_) {
        (token0, token1) = a < b ? (a, b) : (b, a);
        reserve = reserve_;
    }

    function announce() external {
        emit PairCreated(token0, token1, address(this), 1);
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (reserve, reserve, uint32(block.timestamp));
    }

    function swap(uint256, uint256, address, bytes calldata) external pure {
        revert NoSwap();
    }

    function sync() external {}
}
