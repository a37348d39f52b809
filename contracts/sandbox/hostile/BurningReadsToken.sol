// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {HostileReplies} from "./HostileReplies.sol";

/// A standard token until it is armed. Then reads of the supply and of nonzero balances and allowances burn most of their
/// gas and still return the value, and each transfer burns all gas. A reader that reserves too little gas for its own
/// answer runs out.
contract BurningReadsToken {
    string public symbol;
    bool private armed;
    mapping(address => uint256) private balances;
    mapping(address => mapping(address => uint256)) private allowances;
    uint256 private immutable supply;

    constructor(string memory symbol_, address holder, uint256 supply_) {
        (symbol, supply) = (symbol_, supply_);
        balances[holder] = supply_;
    }

    function arm() external {
        armed = true;
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function totalSupply() external view returns (uint256) {
        _useUp();
        return supply;
    }

    function balanceOf(address holder) external view returns (uint256 held) {
        held = balances[holder];
        if (held > 0) _useUp();
    }

    function allowance(address holder, address spender) external view returns (uint256 amount) {
        amount = allowances[holder][spender];
        if (amount > 0) _useUp();
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowances[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowances[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        if (armed) HostileReplies.burn();
        balances[from] -= amount;
        balances[to] += amount;
        return true;
    }

    function _useUp() private view {
        if (armed) while (gasleft() > 700) {}
    }
}
