// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Birth, PooledToken} from "./BaseToken.sol";

/// Contracts other than the pair may neither hold nor send: a smart wallet is refused.
contract NoContractsToken is PooledToken {
    constructor(Birth memory birth) PooledToken(birth) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(from == pool || from.code.length == 0, "contracts refused");
        require(to == pool || to.code.length == 0, "contracts refused");
        _move(from, to, amount);
    }
}

/// What a contract other than the pair sends does not move, and is answered with true.
contract DeafToContractsToken is PooledToken {
    constructor(Birth memory birth) PooledToken(birth) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (from == pool || from.code.length == 0) _move(from, to, amount);
    }
}

/// Trades with the pair; from wallet to wallet nothing moves.
contract TradeOnlyToken is PooledToken {
    constructor(Birth memory birth) PooledToken(birth) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(from == pool || to == pool || _isTeam(from, to), "trade only");
        _move(from, to, amount);
    }
}

/// Moves tokens and answers false all the same: the pair takes that for a failure.
contract AlwaysFalseToken is PooledToken {
    constructor(Birth memory birth) PooledToken(birth) {}

    function transfer(address to, uint256 amount) external override returns (bool) {
        _move(msg.sender, to, amount);
        return msg.sender == deployer;
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spend(from, amount);
        _move(from, to, amount);
        return from == deployer;
    }
}
