// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, PooledToken, TokenParams} from "./BaseToken.sol";

/// Only the team can move the token before the owner opens trading.
contract TradingEnabledToken is OwnedToken {
    bool public tradingEnabled;

    constructor(TokenParams memory params, bool open) OwnedToken(params) {
        tradingEnabled = open;
    }

    function enableTrading() external onlyOwner {
        tradingEnabled = true;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(tradingEnabled || _isTeam(from, to), "trading is not enabled");
        _move(from, to, amount);
    }
}

/// Sales revert until the owner enables trading; purchases always work.
contract TradingActiveToken is OwnedToken {
    bool public tradingActive;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setTradingActive(bool active) external onlyOwner {
        tradingActive = active;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(tradingActive || !_isSale(from, to), "trading is not active");
        _move(from, to, amount);
    }
}

/// Trading is enabled at deployment; the owner can disable it.
contract TradingOpenToken is OwnedToken {
    bool public tradingOpen = true;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setTrading(bool open) external onlyOwner {
        tradingOpen = open;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(tradingOpen || _isTeam(from, to), "trading is closed");
        _move(from, to, amount);
    }
}

/// The name of `launched()` is ambiguous. Here the getter controls trading.
contract LaunchedToken is OwnedToken {
    bool public launched;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function launch() external onlyOwner {
        launched = true;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(launched || _isTeam(from, to), "not launched");
        _move(from, to, amount);
    }
}

/// The name of `swapEnabled()` is ambiguous. Here it concerns swaps of collected fees, and trading is never blocked.
contract SwapEnabledToken is OwnedToken {
    bool public swapEnabled;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setSwapEnabled(bool enabled) external onlyOwner {
        swapEnabled = enabled;
    }
}

/// paused() returns true, but transfers ignore it.
contract PauseFlagToken is OwnedToken {
    bool public paused = true;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setPaused(bool value) external onlyOwner {
        paused = value;
    }
}

/// isTradingEnabled() returns false although its name is unambiguous; transfers ignore it.
contract IdleGateToken is PooledToken {
    bool public isTradingEnabled;

    constructor(TokenParams memory params) PooledToken(params) {}
}

/// tradingEnabled() always reverts, which is no evidence about trading.
contract SilentGateToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function tradingEnabled() external pure returns (bool) {
        revert("not available");
    }
}
