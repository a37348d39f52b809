// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PooledToken, TokenParams} from "./BaseToken.sol";

/// Contracts other than the pair may neither hold nor send: a smart wallet is refused.
contract NoContractsToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(from == pool || from.code.length == 0, "contracts refused");
        require(to == pool || to.code.length == 0, "contracts refused");
        _move(from, to, amount);
    }
}

/// What a contract other than the pair sends does not move, and is answered with true.
contract DeafToContractsToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (from == pool || from.code.length == 0) _move(from, to, amount);
    }
}

/// Trades with the pair; from wallet to wallet nothing moves.
contract TradeOnlyToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(from == pool || to == pool || _isTeam(from, to), "trade only");
        _move(from, to, amount);
    }
}

/// Moves tokens and answers false all the same: the pair takes that for a failure.
contract AlwaysFalseToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

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

/// Sales pass only where the token sees code that truefill's simulations place: no other wallet can sell.
contract StandInSpyToken is PooledToken {
    address private constant LEFT_BEHIND = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || LEFT_BEHIND.code.length > 0, "only watched");
        _move(from, to, amount);
    }
}

/// The opposite: simulated sales are refused, real ones work.
contract CameraShyToken is PooledToken {
    address private constant LEFT_BEHIND = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || LEFT_BEHIND.code.length == 0, "not watched");
        _move(from, to, amount);
    }
}

/// Sales pass only for who began the transaction with more ether than wallets have, as simulations give away.
contract RichOriginToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || tx.origin.balance > 100_000 ether, "too poor");
        _move(from, to, amount);
    }
}

/// Sales pass only in blocks without a coinbase, as nodes simulate them. On a chain with one, no wallet can sell.
contract MakerSpyToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || block.coinbase == address(0), "a real block");
        _move(from, to, amount);
    }
}

/// Returns other decimals in calls that read USDC before, such as those of a lens.
contract TwoDecimalsToken is PooledToken {
    address private constant USDC = 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913;
    /// Reading an account takes 2,600 gas the first time in a transaction, then 100.
    uint256 private constant FIRST_READ = 2_000;

    constructor(TokenParams memory params) PooledToken(params) {}

    function decimals() external view override returns (uint8) {
        uint256 cost;
        assembly ("memory-safe") {
            cost := gas()
            let balance_ := balance(USDC)
            cost := add(sub(cost, gas()), shr(255, balance_))
        }
        return cost < FIRST_READ ? 6 : 18;
    }
}
