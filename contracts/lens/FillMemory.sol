// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";

/// What a lens and its frames share, in transient storage of one address. The layout has to be the same in FillLens and in
/// the contracts that it delegates to, so every one of them has this as its first contract with storage.
abstract contract FillMemory {
    error TransferFailed();
    error BalanceUnread();
    error PoolUnread();
    error AsksForMore();
    error SendsMoreThanSaid();
    error SendsNothing();
    error HookLeavesDebt();
    error CannotPay();
    error TooLarge();
    error NotYours();
    error AlreadyAsked();

    /// Known only to this contract during one frame: a token cannot forge a fill by reverting with one.
    uint256 internal transient _secret;
    uint256 internal transient _salt;
    address internal transient _wrappedNative;
    /// The accounts that hold tokenIn and approved the lens, and the one that pays in the current frame.
    uint256 internal transient _payersAt;
    uint256 internal transient _payersCount;
    address internal transient _payer;
    address internal transient _expected;
    bytes32 internal transient _expectedData;
    uint256 internal transient _expectedKind;
    bool internal transient _unlocked;
    uint256 internal transient _heldIn;
    uint256 internal transient _usedInside;
    uint256 internal transient _sentInside;
    /// Nothing may ask this contract a question of its own while it works on one.
    bool internal transient _busy;
}

interface IFrames {
    /// Always reverts: with a result of eight words, marked with the secret, or with what went wrong.
    function frame(uint256 secret, address native, bytes calldata data) external;
}
