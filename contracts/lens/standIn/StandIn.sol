// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Payments.sol";

/// Lies by state override over the router that a wallet would really use, in `eth_simulateV1` only, so that the token
/// sees the very addresses of a real trade (wallet, router, pool) while amounts follow what earlier steps really paid.
/// Its children know one kind of pool each: a simulation carries the code with it, so it is kept short. The pools that it
/// trades in follow the code as packed rows, from the side of the purchase; calls name a row by its distance from the end
/// of the code in bytes.
abstract contract StandIn is Payments {
    /// Where the simulation put a copy of the code that this one hides: what 0x…c10e5 created at nonce 1.
    /// A token that trades inside its own transfer calls the router too, and must find all of it.
    address private constant HIDDEN = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    address internal transient _expected; // the pool whose callback is awaited

    uint256 private constant ROW_BYTES = 127;

    struct Trade {
        Leg leg;
        address puller; // who the wallet approved; 0: this contract
        address wrapped;
        address wallet; // the caller; not part of a row
    }

    function _swap(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        virtual
        returns (uint256 paid, uint256 nominal);

    /// What the pool would pay, where it can be asked beforehand; else 0.
    function _quoted(Leg memory, uint256) internal view virtual returns (uint256) {
        return 0;
    }

    /// The order behind the selector: 16 bits name the row by its distance from the end of the code, the rest of the
    /// calldata is one value. Packed, because a simulation carries dozens of orders.
    function _order() private view returns (Trade memory trade, uint256 value) {
        Leg memory leg = trade.leg;
        assembly ("memory-safe") {
            let fromEnd := shr(240, calldataload(4))
            value := shr(shl(3, sub(38, calldatasize())), calldataload(6))
            let row := mload(0x40)
            codecopy(row, sub(codesize(), fromEnd), ROW_BYTES)
            // 1 byte kind, 3 fee, 3 tick spacing, then addresses
            mstore(leg, byte(0, mload(row)))
            mstore(add(leg, 128), shr(232, mload(add(row, 1))))
            mstore(add(leg, 160), signextend(2, shr(232, mload(add(row, 4)))))
            mstore(add(leg, 32), shr(96, mload(add(row, 7)))) // pool
            mstore(add(leg, 64), shr(96, mload(add(row, 27)))) // counter-asset
            mstore(add(leg, 96), shr(96, mload(add(row, 47)))) // token
            mstore(add(leg, 192), shr(96, mload(add(row, 67)))) // hooks
            mstore(add(trade, 32), shr(96, mload(add(row, 87)))) // puller
            mstore(add(trade, 64), shr(96, mload(add(row, 107)))) // wrapped
        }
        trade.wallet = msg.sender;
    }

    // --- purchase: paid by the stand-in, delivered straight to the wallet ---

    /// The value of the order is the amount spent.
    /// @return paid counter-asset spent
    /// @return nominal sent, as the pool reports
    /// @return received what the wallet has more
    function buy() external payable returns (uint256 paid, uint256 nominal, uint256 received) {
        (Trade memory trade, uint256 amount) = _order();
        Leg memory leg = trade.leg;
        _payer = address(0);
        if (msg.value > 0) IWrappedNative(trade.wrapped).deposit{value: msg.value}();
        uint256 before = _balance(leg.tokenOut, trade.wallet);
        _token = leg.tokenIn;
        (paid, nominal) = _swap(trade, leg, amount);
        received = _balance(leg.tokenOut, trade.wallet);
        received = received > before ? received - before : 0;
        _setCredit(trade.wallet, 1 + nominal);
    }

    // --- sale: pulled from the wallet, paid out to the wallet ---

    /// The value of the order is the part of the balance that is sold, in hundredths of a percent.
    /// @return sent taken from the wallet by its own word
    /// @return arrived what the pool found to be its own
    /// @return quoted what the pool would have paid for `sent` just before
    /// @return received counter-asset that the wallet has more
    function sell() external returns (uint256 sent, uint256 arrived, uint256 quoted, uint256 received) {
        (Trade memory trade, uint256 bps) = _order();
        Leg memory leg = trade.leg;
        (leg.tokenIn, leg.tokenOut) = (leg.tokenOut, leg.tokenIn);
        _held = _balance(leg.tokenIn, trade.wallet);
        uint256 credit = _credit(trade.wallet);
        // What the pool sent is believed before what the token says the wallet has.
        uint256 amount = (credit != 0 && credit - 1 < _held ? credit - 1 : _held) * bps / 10_000;
        if (amount == 0) return (0, 0, 0, 0);
        if (credit != 0) _setCredit(trade.wallet, credit > amount ? credit - amount : 1);
        _payer = trade.wallet;
        _sent = amount;
        quoted = _quoted(leg, amount);
        uint256 before = _earned(leg, trade.wallet);
        _token = leg.tokenIn;
        (, uint256 nominal) = _swap(trade, leg, amount);
        uint256 later = _earned(leg, trade.wallet);
        if (quoted == 0) quoted = nominal;
        return (amount, _arrived, quoted, later > before ? later - before : 0);
    }

    /// What a wallet has of the counter-asset that a sale pays.
    function _earned(Leg memory leg, address wallet) internal view virtual returns (uint256) {
        return _balance(leg.tokenOut, wallet);
    }

    /// Of the token bought by a wallet, not yet sold; plus one. Kept in the storage of the router, which has none, at
    /// the slot of the wallet's address.
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

    /// The value of the order is the holder.
    function balanceOf() external view returns (uint256) {
        (Trade memory trade, uint256 holder) = _order();
        return _balance(trade.leg.tokenOut, address(uint160(holder)));
    }

    receive() external payable {}

    /// Whatever the router is asked beside the trade.
    fallback() external payable virtual {
        _runHidden();
    }

    /// Any other call goes on to the hidden code, in this address's name.
    function _runHidden() internal {
        if (HIDDEN.code.length == 0) revert();
        address hidden = HIDDEN;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), hidden, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
