// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, PooledToken, TokenParams} from "./BaseToken.sol";

/// A buyer can sell only after a number of blocks and seconds.
contract CooldownToken is PooledToken {
    struct Wait {
        uint256 blocks;
        uint256 time;
    }

    uint256 private immutable waitBlocks;
    uint256 private immutable waitSeconds;
    mapping(address => uint256) private boughtAtBlock;
    mapping(address => uint256) private boughtAtTime;

    constructor(TokenParams memory params, Wait memory wait) PooledToken(params) {
        waitBlocks = wait.blocks;
        waitSeconds = wait.time;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isBuy(from, to)) {
            boughtAtBlock[to] = block.number;
            boughtAtTime[to] = block.timestamp;
        }
        if (_isSale(from, to)) {
            require(block.number >= boughtAtBlock[from] + waitBlocks, "cooldown: blocks");
            require(block.timestamp >= boughtAtTime[from] + waitSeconds, "cooldown: time");
        }
        _move(from, to, amount);
    }
}

/// A buyer can sell only within 20 blocks of the purchase.
contract SaleWindowToken is PooledToken {
    mapping(address => uint256) private boughtAt;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isBuy(from, to)) boughtAt[to] = block.number;
        require(!_isSale(from, to) || block.number <= boughtAt[from] + 20, "too late");
        _move(from, to, amount);
    }
}

/// Rejects the transfers of all but the team before launchTime(), which is one year after deployment.
contract LaunchTimeToken is PooledToken {
    uint256 public immutable launchTime;

    constructor(TokenParams memory params) PooledToken(params) {
        launchTime = block.timestamp + 365 days;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(block.timestamp >= launchTime || _isTeam(from, to), "not launched");
        _move(from, to, amount);
    }
}

/// Rejects sales of more than maxSellAmount(): 0.01 % of the supply until the owner changes it.
contract MaxSaleToken is OwnedToken {
    uint256 public maxSellAmount;

    constructor(TokenParams memory params) OwnedToken(params) {
        maxSellAmount = params.supply / 10_000;
    }

    function setMaxSellAmount(uint256 amount) external onlyOwner {
        maxSellAmount = amount;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || amount <= maxSellAmount, "sale too large");
        _move(from, to, amount);
    }
}

/// Rejects transfers above 1 % of the supply.
contract MaxTransferToken is OwnedToken {
    uint256 public maxTxAmount;

    constructor(TokenParams memory params) OwnedToken(params) {
        maxTxAmount = params.supply / 100;
    }

    function setMaxTxAmount(uint256 amount) external onlyOwner {
        maxTxAmount = amount;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(_isTeam(from, to) || amount <= maxTxAmount, "transfer too large");
        _move(from, to, amount);
    }
}

/// Rejects balances above 1 % of the supply. With `poolToo` the limit applies to the pair as well, so no wallet can sell.
contract MaxWalletToken is PooledToken {
    uint256 public immutable maxWallet;
    bool private immutable poolToo;

    constructor(TokenParams memory params, bool poolToo_) PooledToken(params) {
        maxWallet = params.supply / 100;
        poolToo = poolToo_;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        _move(from, to, amount);
        if (_isTeam(from, to) || (to == pool && !poolToo)) return;
        require(balances[to] <= maxWallet, "wallet too large");
    }
}

/// A sale must leave one whole token in the wallet.
contract KeepOneToken is PooledToken {
    uint256 private immutable one;

    constructor(TokenParams memory params) PooledToken(params) {
        one = 10 ** params.decimals;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        _move(from, to, amount);
        require(!_isSale(from, to) || balances[from] >= one, "keep one");
    }
}

/// A wallet can transfer once per block, so a buyer can sell in the next block.
contract OncePerBlockToken is PooledToken {
    mapping(address => uint256) private movedAt;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (from != pool && !_isTeam(from, to)) require(movedAt[from] < block.number, "once per block");
        movedAt[from] = block.number;
        movedAt[to] = block.number;
        _move(from, to, amount);
    }
}
