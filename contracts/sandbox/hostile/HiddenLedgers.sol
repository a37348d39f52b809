// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerToken} from "./LedgerToken.sol";

/// Stores a token's balances in a separate contract under a non-standard key.
contract FarLedger {
    mapping(bytes32 => uint256) public amounts;

    function write(address holder, uint256 amount) external {
        amounts[_key(holder)] = amount;
    }

    function read(address holder) external view returns (uint256) {
        return amounts[_key(holder)];
    }

    function _key(address holder) private pure returns (bytes32) {
        return keccak256(abi.encodePacked("far", holder));
    }
}

/// Taxes every transfer by 10 %; balances are in a separate contract.
contract FarLedgerToken is LedgerToken {
    FarLedger private immutable far = new FarLedger();

    constructor(string memory symbol_, address holder, uint256 supply) LedgerToken(symbol_, holder, 0) {
        totalSupply = supply;
        far.write(holder, supply);
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return far.read(holder);
    }

    function _move(address from, address to, uint256 amount) internal override {
        far.write(from, far.read(from) - amount);
        far.write(to, far.read(to) + amount - amount / 10);
        emit Transfer(from, to, amount - amount / 10);
    }
}

/// Taxes every transfer by 10 %. Each balance has a checksum: a balance written with a state override counts as zero.
contract SealedToken is LedgerToken {
    constructor(string memory symbol_, address holder, uint256 supply) LedgerToken(symbol_, holder, 0) {
        totalSupply = supply;
        _write(holder, supply);
    }

    function balanceOf(address holder) public view override returns (uint256) {
        uint256 amount = uint128(ledger[holder]);
        return ledger[holder] == _sealed(holder, amount) ? amount : 0;
    }

    function _move(address from, address to, uint256 amount) internal override {
        _write(from, balanceOf(from) - amount);
        _write(to, balanceOf(to) + amount - amount / 10);
        emit Transfer(from, to, amount - amount / 10);
    }

    function _write(address holder, uint256 amount) private {
        ledger[holder] = _sealed(holder, amount);
    }

    function _sealed(address holder, uint256 amount) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(holder, amount))) << 128 | amount;
    }
}

/// Debits the sender 3 % more than the amount, so that a holder of exactly the amount cannot sell it.
contract SurchargeToken is LedgerToken {
    address private immutable exempt;

    constructor(string memory symbol_, address holder, uint256 supply) LedgerToken(symbol_, holder, supply) {
        exempt = holder;
    }

    function _move(address from, address to, uint256 amount) internal override {
        super._move(from, to, amount);
        if (from != exempt && to != exempt) super._move(from, address(this), amount * 3 / 100);
    }
}
