// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";

/// Transient storage shared by a lens and its frames. FillLens and the contracts that it delegates to need the same
/// layout, so this is the first contract with storage that each of them inherits.
abstract contract FillMemory {
    error TransferFailed();
    error ChargesTooMuch();
    error ReceivesTooMuch();
    error SendsNothing();
    error HookLeavesDebt();
    error TooLarge();
    error OnlySelf();
    error WrongCallbackData();
    error Reentered();

    /// Known only to this contract during one frame, so that a token cannot forge a result in its revert data.
    uint256 internal transient _secret;
    uint256 internal transient _salt;
    address internal transient _wrappedNative;
    /// The pool that may call back, the hash of its callback data, and its kind.
    address internal transient _expected;
    bytes32 internal transient _expectedData;
    uint256 internal transient _expectedKind;
    /// Whether the singleton's manager is unlocked.
    bool internal transient _unlocked;
    /// Amounts of the last swap in a singleton.
    uint256 internal transient _usedInside;
    uint256 internal transient _sentInside;
    /// Reentrancy guard: a call during a query is a callback.
    bool internal transient _busy;
}

interface IFrames {
    /// Executes the plan that follows the arguments. Always reverts: with a result of eight words whose first word is a
    /// hash over the secret and the others, or with an error.
    function frame(uint256 secret, address native) external;
}
