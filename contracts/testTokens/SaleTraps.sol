// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OwnedToken, PooledToken, TokenParams} from "./BaseToken.sol";

/// Only accounts that the owner has listed can sell.
contract ListedSellersToken is OwnedToken {
    mapping(address => bool) private listed;

    constructor(TokenParams memory params) OwnedToken(params) {}

    function setListed(address seller, bool value) external onlyOwner {
        listed[seller] = value;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || listed[from], "seller not listed");
        _move(from, to, amount);
    }
}

/// Marks each buyer in its purchase; marked accounts cannot sell. Accounts that received tokens by transfer can.
contract MarkedBuyersToken is PooledToken {
    mapping(address => bool) private marked;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isBuy(from, to)) marked[to] = true;
        require(!marked[from], "marked");
        _move(from, to, amount);
    }
}

/// Accounts that received tokens by transfer cannot sell; buyers can.
contract ReceiversLockedToken is PooledToken {
    mapping(address => bool) private received;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (from != pool && to != pool && !_isTeam(from, to)) received[to] = true;
        require(!_isSale(from, to) || !received[from], "received, not bought");
        _move(from, to, amount);
    }
}

/// A sale at a gas price above 5 gwei fails.
contract GasPriceSaleToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || tx.gasprice <= 5 gwei, "gas price too high");
        _move(from, to, amount);
    }
}

/// An account that bought at a gas price above 5 gwei cannot sell.
contract GasPriceBuyerToken is PooledToken {
    mapping(address => bool) private hasty;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isBuy(from, to) && tx.gasprice > 5 gwei) hasty[to] = true;
        require(!hasty[from], "hasty buyer");
        _move(from, to, amount);
    }
}

/// Allows sales only at gas price zero, the default of many simulations.
contract FreeGasSaleToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || tx.gasprice == 0, "sale refused");
        _move(from, to, amount);
    }
}

/// Allows sales only at base fee zero, the default of many simulations.
contract FreeBlockSaleToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || block.basefee == 0, "sale refused");
        _move(from, to, amount);
    }
}

/// Allows sales only in transactions of the deployer.
contract OriginSaleToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || tx.origin == deployer, "wrong origin");
        _move(from, to, amount);
    }
}

/// Allows sales only through the team's router.
contract OwnRouterSaleToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || msg.sender == deployer, "wrong router");
        _move(from, to, amount);
    }
}

/// Returns true for approvals of other accounts and does not record them.
contract ForgottenApprovalToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function approve(address spender, uint256 amount) external override returns (bool) {
        _approve(msg.sender, spender, msg.sender == deployer ? amount : 0);
        return true;
    }
}

/// Every sale reverts with 200 kB of data.
contract RevertBombSaleToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isSale(from, to)) {
            assembly ("memory-safe") {
                revert(mload(0x40), 200000)
            }
        }
        _move(from, to, amount);
    }
}

/// A sale uses all of its gas.
contract GasBombSaleToken is PooledToken {
    uint256 private counted;

    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        while (_isSale(from, to)) counted++;
        _move(from, to, amount);
    }
}

/// A sale returns false and moves nothing.
contract FalseSaleToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        if (_isSale(from, to)) return false;
        _spend(from, amount);
        _move(from, to, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        if (_isSale(msg.sender, to)) return false;
        _move(msg.sender, to, amount);
        return true;
    }
}

/// A sale returns true, logs a transfer, and moves nothing.
contract SilentSaleToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        if (_isSale(from, to)) emit Transfer(from, to, amount);
        else _move(from, to, amount);
    }
}

/// Reports a balance to buyers that they never received.
contract PhantomBalanceToken is PooledToken {
    mapping(address => uint256) private shown;

    constructor(TokenParams memory params) PooledToken(params) {}

    function balanceOf(address holder) external view override returns (uint256) {
        return balances[holder] + shown[holder];
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        if (!_isBuy(from, to)) return _move(from, to, amount);
        balances[from] -= amount;
        shown[to] += amount;
        emit Transfer(from, to, amount);
    }
}

interface ISaleController {
    function maySell(address seller, uint256 amount) external view returns (bool);
}

/// Another contract decides about each sale, and may refuse it in the next block.
contract ControlledSaleToken is PooledToken {
    ISaleController public immutable controller;

    constructor(TokenParams memory params, ISaleController controller_) PooledToken(params) {
        controller = controller_;
    }

    function _transfer(address from, address to, uint256 amount) internal override {
        require(!_isSale(from, to) || controller.maySell(from, amount), "the controller refuses");
        _move(from, to, amount);
    }
}

/// Decides for ControlledSaleToken.
contract SaleController is ISaleController {
    address public owner = msg.sender;
    bool private open;

    constructor(bool open_) {
        open = open_;
    }

    function setOpen(bool open_) external {
        require(msg.sender == owner, "not the owner");
        open = open_;
    }

    function maySell(address, uint256) external view returns (bool) {
        return open;
    }
}
