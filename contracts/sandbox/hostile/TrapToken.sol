// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LedgerToken} from "./LedgerToken.sol";
import {HostileReplies} from "./HostileReplies.sol";

/// A standard token until it is armed, so that pools can be funded; then it misbehaves in one way.
contract TrapToken is LedgerToken {
    enum Trap {
        RevertInTransfer,
        BurnInTransfer,
        HugeAnswerInTransfer,
        FalseInTransfer,
        NothingInTransfer,
        ReenterInTransfer,
        RevertInBalance,
        BurnInBalance,
        HugeAnswerInBalance,
        FallingBalance,
        HalvedBalance
    }

    Trap private immutable trap;
    bool private armed;
    bool private transient inside;

    constructor(string memory symbol_, address holder, uint256 supply, Trap trap_)
        LedgerToken(symbol_, holder, supply)
    {
        trap = trap_;
    }

    function arm() external {
        armed = true;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        if (armed) {
            if (trap == Trap.RevertInBalance) revert HostileReplies.Refused();
            if (trap == Trap.BurnInBalance) HostileReplies.burn();
            if (trap == Trap.HugeAnswerInBalance) HostileReplies.answerHuge();
            // A smaller number on every read. Gas is the only thing that differs between two reads of one call.
            if (trap == Trap.FallingBalance) return gasleft() << 160;
            // Less than the reserves of its pools.
            if (trap == Trap.HalvedBalance) return ledger[holder] / 2;
        }
        return ledger[holder];
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        _before();
        _move(msg.sender, to, amount);
        if (armed && trap == Trap.NothingInTransfer) HostileReplies.answerNothing();
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _before();
        _spend(from, amount);
        _move(from, to, amount);
        if (armed && trap == Trap.NothingInTransfer) HostileReplies.answerNothing();
        return true;
    }

    function _before() private {
        if (!armed) return;
        if (trap == Trap.RevertInTransfer) revert HostileReplies.Refused();
        if (trap == Trap.BurnInTransfer) HostileReplies.burn();
        if (trap == Trap.HugeAnswerInTransfer) HostileReplies.answerHuge();
        if (trap == Trap.FalseInTransfer) HostileReplies.answerWord(0);
        if (trap == Trap.ReenterInTransfer && !inside) {
            inside = true;
            // Calls the sender back as a pool and as a trader would.
            (bool ok,) = msg.sender.call(abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", 1, -1, ""));
            (ok,) = msg.sender.call(abi.encodeWithSignature("unlockCallback(bytes)", ""));
            (ok,) = msg.sender.call(
                abi.encodeWithSignature("swap(uint256,uint256,address,bytes)", 1, 0, address(this), "")
            );
            inside = false;
        }
    }
}

/// Returns `word` from decimals(), or 100 kB when that is zero.
contract OddDecimalsToken {
    uint256 private immutable word;
    mapping(address => uint256) public balanceOf;

    constructor(address holder, uint256 word_) {
        word = word_;
        balanceOf[holder] = 1 << 200;
    }

    function decimals() external view {
        if (word == 0) HostileReplies.answerHuge();
        HostileReplies.answerWord(word);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}
