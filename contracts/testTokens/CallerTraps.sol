// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PooledToken, TokenParams} from "./BaseToken.sol";

/// Contracts other than the pair can neither hold nor send tokens, so smart wallets cannot trade.
contract NoContractsToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(from == pool || from.code.length == 0, "contracts refused");
        require(to == pool || to.code.length == 0, "contracts refused");
        _move(from, to, amount);
    }
}

/// A transfer by a contract other than the pair returns true and moves nothing.
contract DeafToContractsToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (from == pool || from.code.length == 0) _move(from, to, amount);
    }
}

/// Trades with the pair work; transfers between wallets revert.
contract TradeOnlyToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(from == pool || to == pool || _isTeam(from, to), "trade only");
        _move(from, to, amount);
    }
}

/// Transfers move tokens but return false, which the pair treats as a failure.
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

/// Sales work only if the token finds code that truefill's simulations place, so no real wallet can sell.
contract StandInSpyToken is PooledToken {
    address private constant LEFT_BEHIND = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || LEFT_BEHIND.code.length > 0, "only watched");
        _move(from, to, amount);
    }
}

/// Refuses sales if it finds the code of truefill's simulations. Real sales work.
contract CameraShyToken is PooledToken {
    address private constant LEFT_BEHIND = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || LEFT_BEHIND.code.length == 0, "not watched");
        _move(from, to, amount);
    }
}

/// Sales work only if tx.origin has more ether than any real wallet, as simulations often give it.
contract RichOriginToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || tx.origin.balance > 100_000 ether, "too poor");
        _move(from, to, amount);
    }
}

/// Sales work only in blocks with a zero coinbase, as in some nodes' simulations. On a real chain no wallet can sell.
contract MakerSpyToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || block.coinbase == address(0), "a real block");
        _move(from, to, amount);
    }
}

/// Returns other decimals in calls that have read USDC before, such as those of a lens.
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
