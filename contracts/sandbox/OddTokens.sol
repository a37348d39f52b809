// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HonestToken} from "./HonestToken.sol";

/// Standard transfers; decimals() reverts.
contract NoDecimalsToken is HonestToken {
    error NotTelling();

    constructor(address holder, uint256 supply) HonestToken("No Decimals", "NODEC", 18, holder, supply) {}

    function decimals() external pure override returns (uint8) {
        revert NotTelling();
    }
}

/// symbol() returns 100 kB, to find readers without a limit.
contract LongSymbolToken is HonestToken {
    constructor(address holder, uint256 supply) HonestToken("Long Symbol", "", 18, holder, supply) {}

    function symbol() external pure override returns (string memory) {
        bytes memory text = new bytes(100_000);
        for (uint256 i = 0; i < text.length; i += 1000) text[i] = "A";
        return string(text);
    }
}

/// name() and symbol() return bytes32, as in the oldest tokens.
contract Bytes32SymbolToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    bytes32 public constant name = "Bytes32 Symbol";
    bytes32 public constant symbol = "OLD32";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(address holder, uint256 supply) {
        totalSupply = supply;
        balanceOf[holder] = supply;
        emit Transfer(address(0), holder, supply);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}
