// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./standIn/ConcentratedStandIn.sol";
import "./standIn/PairStandIn.sol";
import "./standIn/SingletonStandIn.sol";

/// Trades in pools of every kind as its own wallet, for nodes without `eth_simulateV1`.
contract RouterStandIn is PairSwaps, ConcentratedSwaps, SingletonSwaps {
    /// Buys and sells in one call; this contract is the wallet. A success also holds for other wallets. A failure does
    /// not: the trade may succeed for a wallet without code, or with the two steps in different blocks.
    /// @param row distance of the pool's row from the end of the code in bytes, see `StandIn`
    /// @param amount of the counter-asset to spend
    /// @return paid counter-asset spent
    /// @return nominal tokens sent, as the pool reports it
    /// @return received tokens received
    /// @return sold whether the sale succeeded
    /// @return sale the results of `sell`
    function roundTrip(uint16 row, address token, uint256 amount)
        external
        payable
        returns (uint256 paid, uint256 nominal, uint256 received, bool sold, uint256[4] memory sale)
    {
        (bool ok, bytes memory result) =
            address(this).call{value: msg.value}(abi.encodePacked(this.buy.selector, row, amount));
        if (!ok) revert();
        (paid, nominal, received) = abi.decode(result, (uint256, uint256, uint256));
        assembly ("memory-safe") {
            let at := mload(0x40)
            mstore(at, shl(224, 0x095ea7b3)) // approve(address,uint256)
            mstore(add(at, 4), address())
            mstore(add(at, 36), not(0))
            pop(call(gas(), token, 0, at, 68, 0, 0))
        }
        (sold, result) = address(this).call(abi.encodePacked(this.sell.selector, row, uint16(10_000)));
        if (sold) sale = abi.decode(result, (uint256[4]));
    }

    function _swap(Trade memory trade, Leg memory leg, uint256 amount)
        internal
        override
        returns (uint256 paid, uint256 nominal)
    {
        if (_isPair(leg.kind)) return (amount, _swapPair(trade, leg, amount));
        if (leg.kind >= KIND_V4) return _swapSingleton(trade, leg, amount);
        return _swapConcentrated(trade, leg, amount);
    }

    function _outputBefore(Leg memory leg, uint256 amount) internal view override returns (uint256) {
        return _isPair(leg.kind) ? _outputOf(leg, amount) : 0;
    }

    function _isPair(uint256 kind) private pure returns (bool) {
        return kind == KIND_V2 || kind == KIND_SOLIDLY || kind == KIND_SOLIDLY_PAIR || kind == KIND_SELF_PRICED_PAIR;
    }

    function _readSingleton(Trade memory trade, uint256 row) internal pure override(StandIn, SingletonSwaps) {
        SingletonSwaps._readSingleton(trade, row);
    }

    function _pullFrom(address from, address token, address to, uint256 amount)
        internal
        override(Payments, SingletonSwaps)
    {
        SingletonSwaps._pullFrom(from, token, to, amount);
    }

    function _counterBalance(Leg memory leg, address wallet) internal view override(StandIn, SingletonSwaps) returns (uint256) {
        return SingletonSwaps._counterBalance(leg, wallet);
    }

    fallback() external payable override(StandIn, ConcentratedSwaps) {
        _payPool();
    }
}
