// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Payments.sol";

/// Replaces the code of the router that a wallet would use, by a state override in `eth_simulateV1`. The token then
/// sees the addresses of a real trade (wallet, router, pool), and a later step can use the amounts of earlier ones.
/// It swaps by the executor's code (`PoolSwaps.sol`). Each derived contract supports one kind of pool, because every
/// simulation contains the code. Packed rows with the pools, in the direction of the purchase, follow the code. A call
/// identifies its row by the row's distance from the end of the code in bytes.
abstract contract StandIn is Payments {
    /// Address at which the simulation places the replaced code of the router: the contract that 0x…c10e5 would create
    /// at nonce 1. Other calls run that code, because a token that trades during its transfer calls the router too.
    address private constant REPLACED_CODE = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    /// Length of the longest row.
    uint256 private constant ROW_BYTES = 107;

    /// Swaps a leg through a pool of the stand-in's kind, and pays the caller.
    function _swapBy(PlanLeg memory leg, uint256 amount, address payer)
        internal
        virtual
        returns (uint256 paid, uint256 arrived, uint256 nominal);

    /// The output that the pool computes for an amount before the swap; 0 if it has no such function.
    function _outputBefore(PlanLeg memory, uint256) internal virtual returns (uint256) {
        return 0;
    }

    /// Reads the order after the selector: two bytes with the row's distance from the end of the code, then one value
    /// in the remaining bytes. It is packed, because a simulation contains dozens of orders.
    function _order() private returns (PlanLeg memory leg, uint256 value) {
        uint256 row;
        assembly ("memory-safe") {
            let fromEnd := shr(240, calldataload(4))
            value := shr(shl(3, sub(38, calldatasize())), calldataload(6))
            row := mload(0x40)
            codecopy(row, sub(codesize(), fromEnd), ROW_BYTES)
            // 1 byte kind, 3 fee, 3 tick spacing, then addresses
            mstore(leg, byte(0, mload(row)))
            mstore(add(leg, 128), shr(232, mload(add(row, 1))))
            mstore(add(leg, 160), signextend(2, shr(232, mload(add(row, 4)))))
            mstore(add(leg, 32), shr(96, mload(add(row, 7)))) // pool
            mstore(add(leg, 64), shr(96, mload(add(row, 27)))) // counter-asset
            mstore(add(leg, 96), shr(96, mload(add(row, 47)))) // token
        }
        _readSingleton(leg, row);
    }

    /// Reads the end of a row, which only pools of singletons have.
    function _readSingleton(PlanLeg memory leg, uint256 row) internal virtual {}

    function _swapLeg(PlanLeg memory leg, uint256 amount, address payer)
        private
        returns (uint256 paid, uint256 arrived, uint256 nominal)
    {
        _startLeg(leg, amount, payer);
        (paid, arrived, nominal) = _swapBy(leg, amount, payer);
        _expected = 0;
    }

    // --- purchase: paid by the stand-in, received by the wallet ---

    /// Buys the token for the caller. The value of the order is the amount of the counter-asset to spend.
    /// @return paid counter-asset spent
    /// @return nominal tokens sent, as the pool reports it
    /// @return received increase of the wallet's token balance
    function buy() external payable returns (uint256 paid, uint256 nominal, uint256 received) {
        (PlanLeg memory leg, uint256 amount) = _order();
        if (msg.value > 0) IWrappedNative(leg.tokenIn).deposit{value: msg.value}();
        uint256 before = _balance(leg.tokenOut, msg.sender);
        (paid,, nominal) = _swapLeg(leg, amount, address(this));
        received = _increase(before, _balance(leg.tokenOut, msg.sender));
        _setCredit(msg.sender, 1 + nominal);
    }

    // --- sale: pulled from the wallet, paid to the wallet ---

    /// Sells the caller's tokens. The value of the order is the share of the balance to sell, in basis points.
    /// @return sent tokens that the wallet sent; all results are 0 if the share rounds to 0
    /// @return arrived tokens that the pool received
    /// @return quoted output for `sent` that the pool computed before the sale; else the output that it reported
    /// @return received increase of the wallet's counter-asset
    function sell() external returns (uint256 sent, uint256 arrived, uint256 quoted, uint256 received) {
        (PlanLeg memory leg, uint256 bps) = _order();
        (leg.tokenIn, leg.tokenOut) = (leg.tokenOut, leg.tokenIn);
        _held = _balance(leg.tokenIn, msg.sender);
        uint256 credit = _credit(msg.sender);
        // Sell at most the amount that the pool sent, because the token may report a higher balance.
        sent = (credit != 0 && credit - 1 < _held ? credit - 1 : _held) * bps / 10_000;
        if (sent == 0) return (0, 0, 0, 0);
        if (credit != 0) _setCredit(msg.sender, credit > sent ? credit - sent : 1);
        _sold = sent;
        uint256 before = _balance(leg.tokenOut, msg.sender);
        uint256 nominal;
        quoted = _outputBefore(leg, sent);
        (, arrived, nominal) = _swapLeg(leg, sent, msg.sender);
        received = _increase(before, _balance(leg.tokenOut, msg.sender));
        if (quoted == 0) quoted = nominal;
    }

    /// Tokens that a wallet bought and has not sold, plus 1; 0 if it bought none. Stored at the router's address, in
    /// the slot with the number of the wallet's address, because real routers do not use that storage.
    function _credit(address wallet) internal view returns (uint256 credit) {
        assembly ("memory-safe") {
            credit := sload(wallet)
        }
    }

    function _setCredit(address wallet, uint256 credit) internal {
        assembly ("memory-safe") {
            sstore(wallet, credit)
        }
    }

    /// The balance of the row's token. The value of the order is the account.
    function balanceOf() external returns (uint256) {
        (PlanLeg memory leg, uint256 holder) = _order();
        return _balance(leg.tokenOut, address(uint160(holder)));
    }

    receive() external payable {}

    /// Runs the router's own code for all other calls.
    fallback() external payable virtual {
        _runReplacedCode();
    }

    /// Runs the replaced code by `delegatecall`.
    function _runReplacedCode() internal {
        if (REPLACED_CODE.code.length == 0) revert();
        address replaced = REPLACED_CODE;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), replaced, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
