// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Base of the hostile tokens: names, allowances, balances. Subclasses define transfers.
abstract contract LedgerToken {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error NotEnough(address holder, uint256 has, uint256 needs);

    string public symbol;
    uint256 public totalSupply;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) internal ledger;

    constructor(string memory symbol_, address holder, uint256 supply) {
        symbol = symbol_;
        totalSupply = supply;
        ledger[holder] = supply;
        emit Transfer(address(0), holder, supply);
    }

    function name() external view returns (string memory) {
        return symbol;
    }

    function decimals() external view virtual returns (uint8) {
        return 18;
    }

    function balanceOf(address holder) public view virtual returns (uint256) {
        return ledger[holder];
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _spend(from, amount);
        _move(from, to, amount);
        return true;
    }

    function _spend(address from, uint256 amount) internal {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert NotEnough(from, allowed, amount);
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
    }

    function _move(address from, address to, uint256 amount) internal virtual {
        uint256 has = ledger[from];
        if (has < amount) revert NotEnough(from, has, amount);
        ledger[from] = has - amount;
        ledger[to] += amount;
        emit Transfer(from, to, amount);
    }
}
