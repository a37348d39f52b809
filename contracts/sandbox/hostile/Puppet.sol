// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Plays a token, a pool, a hook or a receiver: for each selector it first makes the calls that the test chose, and then
/// returns the words that the test chose. Counts how many of its calls succeeded.
contract Puppet {
    struct Act {
        address to;
        bytes data;
        bytes reply;
    }

    mapping(bytes4 => Act[]) private _acts;
    uint256 public succeeded;
    uint256 public failed;

    /// @param selector 0 for a payment without data
    function teach(bytes4 selector, address to, bytes calldata data, bytes calldata reply) external {
        delete _acts[selector];
        _acts[selector].push(Act(to, data, reply));
    }

    /// Adds a call after those that `teach` and `add` chose.
    function add(bytes4 selector, address to, bytes calldata data) external {
        _acts[selector].push(Act(to, data, ""));
    }

    receive() external payable {
        _play(0);
    }

    fallback() external payable {
        _play(msg.sig);
    }

    function _play(bytes4 selector) private {
        Act[] storage acts = _acts[selector];
        for (uint256 i; i < acts.length; i++) {
            if (acts[i].to == address(0)) continue;
            (bool ok,) = acts[i].to.call(acts[i].data);
            if (ok) succeeded++;
            else failed++;
        }
        bytes memory reply = acts.length > 0 ? acts[0].reply : bytes("");
        assembly ("memory-safe") {
            return(add(reply, 32), mload(reply))
        }
    }
}
