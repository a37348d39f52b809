// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BaseToken, TokenParams} from "./BaseToken.sol";

interface IAlgebraPairs {
    function computePoolAddress(address token0, address token1) external view returns (address pool);
}

/// Its only pool is on Algebra, whose address it computes. Only the team can transfer tokens to that pool.
contract AlgebraSaleTrapToken is BaseToken {
    address private immutable deployer;
    address private immutable provider;
    address private immutable pool;

    /// @param provider_ account that provides the pool's liquidity
    constructor(TokenParams memory params, IAlgebraPairs factory, address provider_) BaseToken(params) {
        deployer = msg.sender;
        provider = provider_;
        (address token0, address token1) =
            address(this) < params.counter ? (address(this), params.counter) : (params.counter, address(this));
        pool = factory.computePoolAddress(token0, token1);
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(to != pool || from == deployer || from == provider, "no sale here");
        _move(from, to, amount);
    }
}
