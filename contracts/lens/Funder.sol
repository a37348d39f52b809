// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Code that a state override places at an account, so that this account sends calls.
contract SendingWallet {
    /// @return ok false if the call reverted
    function send(address target, bytes calldata data) external returns (bool ok) {
        (ok,) = target.call(data);
    }
}

/// Funds accounts with a token before a lens runs, for a token whose storage slots cannot be found: a holder transfers or
/// mints to the payers, and these approve the lens. `engine/quote/funding` encodes the steps.
contract Funder {
    /// Gas of one step. A step that burns it leaves most of the gas to the lens.
    uint256 private constant STEP_GAS = 700_000;

    struct Step {
        address account; // has the code of `SendingWallet`
        bytes data; // sent to the token
    }

    /// Sends the steps, calls the lens, and returns its answer unchanged. A failed step is no error: the lens reports that
    /// the payer holds too little.
    function run(address token, Step[] calldata steps, address lens, bytes calldata query) external {
        _send(token, steps);
        bytes memory input = query;
        assembly ("memory-safe") {
            let ok := call(gas(), lens, 0, add(input, 32), mload(input), 0, 0)
            let end := mload(0x40)
            returndatacopy(end, 0, returndatasize())
            if iszero(ok) { revert(end, returndatasize()) }
            return(end, returndatasize())
        }
    }

    /// Sends the steps.
    /// @return balance what `account` then holds; 0 if it cannot be read
    function probe(address token, Step[] calldata steps, address account) external returns (uint256 balance) {
        _send(token, steps);
        (bool ok, bytes memory word) = token.staticcall(abi.encodeWithSignature("balanceOf(address)", account));
        if (ok && word.length >= 32) balance = abi.decode(word, (uint256));
    }

    function _send(address token, Step[] calldata steps) private {
        for (uint256 i; i < steps.length; i++) {
            try SendingWallet(steps[i].account).send{gas: STEP_GAS}(token, steps[i].data) {} catch {}
        }
    }
}
