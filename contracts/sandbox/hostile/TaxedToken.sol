// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerToken} from "./LedgerToken.sol";

/// Taxes transfers, as thousands of launched tokens do: one rate from a pool (buy), one into a pool (sale), one between
/// wallets. It knows only registered pools; anyone may register one, because it exists in a sandbox only.
contract TaxedToken is LedgerToken {
    uint16 public buyBps;
    uint16 public sellBps;
    uint16 public transferBps;
    uint256 public maxTransaction = type(uint256).max;
    mapping(address => bool) public isPool;
    mapping(address => bool) public exempt;
    mapping(address => bool) public blacklisted;

    error Blacklisted();
    error AboveMaxTransaction();

    constructor(string memory symbol_, address holder, uint256 supply, uint16[3] memory bps)
        LedgerToken(symbol_, holder, supply)
    {
        (buyBps, sellBps, transferBps) = (bps[0], bps[1], bps[2]);
        exempt[holder] = true;
        exempt[address(this)] = true;
    }

    function markPool(address pool) external {
        isPool[pool] = true;
    }

    function limitTransaction(uint256 most) external {
        maxTransaction = most;
    }

    function _move(address from, address to, uint256 amount) internal virtual override {
        if (blacklisted[from] || blacklisted[to]) revert Blacklisted();
        bool free = exempt[from] || exempt[to];
        if (!free && amount > maxTransaction) revert AboveMaxTransaction();
        uint256 tax = free ? 0 : amount * _rate(from, to) / 10_000;
        if (tax > 0) super._move(from, address(this), tax);
        super._move(from, to, amount - tax);
    }

    function _rate(address from, address to) private view returns (uint256) {
        if (isPool[from]) return buyBps;
        return isPool[to] ? sellBps : transferBps;
    }
}
