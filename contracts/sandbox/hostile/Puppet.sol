// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Plays a token, a pool, a hook or a receiver: for each selector it first makes a call that the test chose, and then
/// returns the words that the test chose. Counts how many of its calls succeeded.
contract Puppet {
    struct Act {
        address to;
        bytes data;
        bytes reply;
    }

    mapping(bytes4 => Act) private _acts;
    uint256 public succeeded;
    uint256 public failed;

    /// @param selector 0 for a payment without data
    function teach(bytes4 selector, address to, bytes calldata data, bytes calldata reply) external {
        _acts[selector] = Act(to, data, reply);
    }

    receive() external payable {
        _play(0);
    }

    fallback() external payable {
        _play(msg.sig);
    }

    function _play(bytes4 selector) private {
        Act storage act = _acts[selector];
        if (act.to != address(0)) {
            (bool ok,) = act.to.call(act.data);
            if (ok) succeeded++;
            else failed++;
        }
        bytes memory reply = act.reply;
        assembly ("memory-safe") {
            return(add(reply, 32), mload(reply))
        }
    }
}
