// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./Payments.sol";

/// Replaces the code of the router that a wallet would use, by a state override in `eth_simulateV1`. The token then
/// sees the addresses of a real trade (wallet, router, pool), and a later step can use the amounts of earlier ones.
/// Each derived contract supports one kind of pool, because every simulation contains the code. Packed rows with the
/// pools, in the direction of the purchase, follow the code. A call identifies its row by the row's distance from the
/// end of the code in bytes.
abstract contract StandIn is Payments {
    /// Address at which the simulation places the replaced code of the router: the contract that 0x…c10e5 would create
    /// at nonce 1. Other calls run that code, because a token that trades during its transfer calls the router too.
    address private constant REPLACED_CODE = 0xA4E14aBf27Bb0E15c6A0042fda30a3c65Be8A729;

    address internal transient _expected; // the pool that may call back

    /// Length of the longest row.
    uint256 internal constant ROW_BYTES = 107;

    struct Trade {
        Leg leg;
        address puller; // the contract that the wallet approved; 0: this contract
        address counter; // the counter-asset; in a pool of the native coin, the wrapped token
        address wallet; // the caller; not part of a row
    }

    function _swap(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        virtual
        returns (uint256 paid, uint256 nominal);

    /// The output that the pool computes for an amount before the swap; 0 if it has no such function.
    function _outputBefore(Leg memory, uint256) internal view virtual returns (uint256) {
        return 0;
    }

    /// Reads the order after the selector: two bytes with the row's distance from the end of the code, then one value
    /// in the remaining bytes. It is packed, because a simulation contains dozens of orders.
    function _order() private view returns (Trade memory trade, uint256 value) {
        Leg memory leg = trade.leg;
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
        trade.wallet = msg.sender;
        _readSingleton(trade, row);
    }

    /// Reads the end of a row, which only pools of singletons have.
    function _readSingleton(Trade memory trade, uint256 row) internal pure virtual {}

    // --- purchase: paid by the stand-in, received by the wallet ---

    /// Buys the token for the caller. The value of the order is the amount of the counter-asset to spend.
    /// @return paid counter-asset spent
    /// @return nominal tokens sent, as the pool reports it
    /// @return received increase of the wallet's token balance
    function buy() external payable returns (uint256 paid, uint256 nominal, uint256 received) {
        (Trade memory trade, uint256 amount) = _order();
        Leg memory leg = trade.leg;
        _payer = address(0);
        if (msg.value > 0) IWrappedNative(leg.tokenIn).deposit{value: msg.value}();
        uint256 before = _balance(leg.tokenOut, trade.wallet);
        _token = leg.tokenIn;
        (paid, nominal) = _swap(trade, leg, amount);
        received = _increase(before, _balance(leg.tokenOut, trade.wallet));
        _setCredit(trade.wallet, 1 + nominal);
    }

    // --- sale: pulled from the wallet, paid to the wallet ---

    /// Sells the caller's tokens. The value of the order is the share of the balance to sell, in basis points.
    /// @return sent tokens that the wallet sent; all results are 0 if the share rounds to 0
    /// @return arrived tokens that the pool received
    /// @return quoted output for `sent` that the pool computed before the sale; else the output that it reported
    /// @return received increase of the wallet's counter-asset
    function sell() external returns (uint256 sent, uint256 arrived, uint256 quoted, uint256 received) {
        (Trade memory trade, uint256 bps) = _order();
        Leg memory leg = trade.leg;
        (leg.tokenIn, leg.tokenOut) = (leg.tokenOut, leg.tokenIn);
        _held = _balance(leg.tokenIn, trade.wallet);
        uint256 credit = _credit(trade.wallet);
        // Sell at most the amount that the pool sent, because the token may report a higher balance.
        uint256 amount = (credit != 0 && credit - 1 < _held ? credit - 1 : _held) * bps / 10_000;
        if (amount == 0) return (0, 0, 0, 0);
        if (credit != 0) _setCredit(trade.wallet, credit > amount ? credit - amount : 1);
        _payer = trade.wallet;
        _sent = amount;
        quoted = _outputBefore(leg, amount);
        uint256 before = _counterBalance(leg, trade.wallet);
        _token = leg.tokenIn;
        (, uint256 nominal) = _swap(trade, leg, amount);
        received = _increase(before, _counterBalance(leg, trade.wallet));
        return (amount, _arrived, quoted == 0 ? nominal : quoted, received);
    }

    function _increase(uint256 before, uint256 later) internal pure returns (uint256) {
        unchecked {
            return later > before ? later - before : 0;
        }
    }

    /// The wallet's balance of the counter-asset that a sale pays.
    function _counterBalance(Leg memory leg, address wallet) internal view virtual returns (uint256) {
        return _balance(leg.tokenOut, wallet);
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
    function balanceOf() external view returns (uint256) {
        (Trade memory trade, uint256 holder) = _order();
        return _balance(trade.leg.tokenOut, address(uint160(holder)));
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
