// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PooledToken, TokenParams} from "./BaseToken.sol";

/// Transfers work, but name() and symbol() revert.
contract NamelessToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function name() external pure override returns (string memory) {
        revert("no name");
    }

    function symbol() external pure override returns (string memory) {
        revert("no symbol");
    }
}

/// name() and symbol() return invalid UTF-8.
contract BrokenTextToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function name() external pure override returns (string memory) {
        bytes memory text = hex"fffe80c0af00f8";
        return string(text);
    }

    function symbol() external pure override returns (string memory) {
        bytes memory text = hex"eda080ff";
        return string(text);
    }
}

/// name(), symbol() and owner() return 1 MB each, and every transfer returns 32 kB.
contract ReturnBombToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function name() external pure override returns (string memory) {
        _bomb(1_000_000);
    }

    function symbol() external pure override returns (string memory) {
        _bomb(1_000_000);
    }

    function owner() external pure returns (address) {
        _bomb(1_000_000);
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        _move(msg.sender, to, amount);
        _bomb(32_768);
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spend(from, amount);
        _move(from, to, amount);
        _bomb(32_768);
    }

    /// The first word is 1, which a caller that expects a bool decodes as true.
    function _bomb(uint256 size) private pure {
        assembly {
            mstore(0, 1)
            return(0, size)
        }
    }
}

/// name() and symbol() use all the gas that they receive.
contract EndlessNameToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function name() external view override returns (string memory) {
        return _forever();
    }

    function symbol() external view override returns (string memory) {
        return _forever();
    }

    function _forever() private view returns (string memory) {
        uint256 n;
        while (gasleft() > 0) n++;
        return tokenName;
    }
}

/// Transfers succeed, but each uses more than 1.5 million gas.
contract HungryToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function _transfer(address from, address to, uint256 amount) internal override {
        uint256 before = gasleft();
        bytes32 waste;
        while (before - gasleft() < 1_500_000) waste = keccak256(abi.encode(waste));
        _move(from, to, amount);
    }
}

/// decimals() returns 2^255, which does not fit into a uint8.
contract HugeDecimalsToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function decimals() external pure override returns (uint8) {
        assembly ("memory-safe") {
            mstore(0, shl(255, 1))
            return(0, 32)
        }
    }
}

/// balanceOf() returns ten times the balance, except for the pool and the deployer.
contract InflatedBalanceToken is PooledToken {
    constructor(TokenParams memory params) PooledToken(params) {}

    function balanceOf(address holder) external view override returns (uint256) {
        return balances[holder] * (holder == pool || holder == deployer ? 1 : 10);
    }
}
