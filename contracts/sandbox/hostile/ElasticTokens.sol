// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerToken} from "./LedgerToken.sol";

/// Distributes the tax of every transfer to all holders by reducing the total of reflections.
contract ReflectionToken is LedgerToken {
    uint256 private constant TAX_BPS = 500;
    uint256 private reflections;
    mapping(address => uint256) private owned;

    constructor(string memory symbol_, address holder, uint256 supply) LedgerToken(symbol_, holder, supply) {
        ledger[holder] = 0;
        reflections = type(uint256).max - type(uint256).max % supply;
        owned[holder] = reflections;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return owned[holder] / (reflections / totalSupply);
    }

    function _move(address from, address to, uint256 amount) internal override {
        uint256 rate = reflections / totalSupply;
        uint256 tax = amount * TAX_BPS / 10_000;
        owned[from] -= amount * rate;
        owned[to] += (amount - tax) * rate;
        reflections -= tax * rate;
        emit Transfer(from, to, amount - tax);
    }
}

/// A share token with growing assets: transfers round to whole shares.
contract SharesToken is LedgerToken {
    uint256 public assets;

    constructor(string memory symbol_, address holder, uint256 supply) LedgerToken(symbol_, holder, supply) {
        assets = supply * 13 / 11;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return ledger[holder] * assets / totalSupply;
    }

    function grow(uint256 bps) external {
        assets += assets * bps / 10_000;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount * totalSupply / assets);
    }
}
