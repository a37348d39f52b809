// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PlanRuns.sol";
import "./Words.sol";
import "./BlockWords.sol";

/// Executes plans in one eth_call and returns their outputs. Each plan runs in its own call frame, which always reverts
/// and has a bounded share of the gas. A plan that fails or burns its gas does not affect the others. The lens acts as
/// the router that a trader approved: it pulls tokenIn from an account without code, and pays later legs from its own
/// balance. `engine/quote/execution` encodes the query and decodes the answer.
contract PlanLens is PlanRuns, IPlanLens {
    uint256 private constant LAYOUT = 1;
    /// Reserved for the answer, including three reads of tokenIn that may each burn READ_GAS.
    uint256 private constant ANSWER_GAS = 300_000 + 3 * (READ_GAS + READ_GAS / 32);

    error Reentered();

    bool private transient _busy;
    /// Known only to this contract, so that a pool cannot forge a result in its revert data.
    uint256 private transient _secret;

    /// Executes each order and returns the words that `_write` describes.
    /// @param legs the legs of all orders, one order after the other
    function prove(ProofQuery calldata query, PlanOrder[] calldata orders, PlanLeg[] calldata legs) external {
        unchecked {
            if (_busy) revert Reentered();
            _busy = true;
            uint256 startGas = gasleft();
            (_secret, _native) = (uint256(keccak256(abi.encode(query.salt, startGas))), query.native);
            bytes[] memory results = new bytes[](orders.length);
            uint256 begin;
            for (uint256 i; i < orders.length; i++) {
                uint256 end = begin + orders[i].legs;
                results[i] = _isolate(orders[i], legs[begin:end], orders.length - i);
                begin = end;
            }
            _write(query, orders, results, startGas);
        }
    }

    // --- frames ---

    /// Executes an order in its own frame.
    /// @param left number of orders left, including this one; each gets an equal share of the remaining gas
    /// @return result the words of its runs; if the frame failed, status, error selector and gas in the first run
    function _isolate(PlanOrder calldata order, PlanLeg[] calldata legs, uint256 left) private returns (bytes memory result) {
        unchecked {
            uint256 size = (order.secondPayer == address(0) ? 1 : 2) * (RUN_WORDS + legs.length * LEG_WORDS) * 32;
            result = new bytes(size);
            bytes memory call_ = abi.encodeCall(this.frame, (order, legs));
            uint256 gasCap = gasleft();
            gasCap = gasCap > ANSWER_GAS ? (gasCap - ANSWER_GAS) * 63 / 64 / left : 0;
            if (gasCap > order.gasCap) gasCap = order.gasCap;
            if (gasCap < REPORT_GAS * 2) return result;
            uint256 secret = _secret;
            uint256 spent = gasleft();
            bool isAuthentic;
            uint256 errorSelector;
            assembly ("memory-safe") {
                pop(call(gasCap, address(), 0, add(call_, 32), mload(call_), 0, 0))
                spent := sub(spent, gas())
                let body := add(result, 32)
                if eq(returndatasize(), add(size, 32)) {
                    returndatacopy(0, 0, 32)
                    let hash := mload(0)
                    returndatacopy(body, 32, size)
                    let end := mload(0x40)
                    mstore(end, secret)
                    mcopy(add(end, 32), body, size)
                    isAuthentic := eq(hash, keccak256(end, add(size, 32)))
                    if iszero(isAuthentic) { calldatacopy(body, calldatasize(), size) }
                }
                if and(iszero(isAuthentic), gt(returndatasize(), 3)) {
                    returndatacopy(0, 0, 4)
                    errorSelector := shr(224, mload(0))
                }
                if iszero(isAuthentic) {
                    // The words of `PlanRuns._run`. A frame that used over 7/8 of its gas counts as out of gas, because
                    // failing inner calls keep 1/64 each.
                    mstore(body, REVERTED)
                    if gt(spent, sub(gasCap, shr(3, gasCap))) { mstore(body, OUT_OF_GAS) }
                    mstore(add(body, 64), errorSelector)
                    mstore(add(body, 128), spent)
                }
            }
        }
    }

    /// Executes a plan, then again for a second payer if there is one. Reverts with a hash over the secret and the
    /// words of the runs, and these words.
    /// @dev Only the lens itself may call it.
    function frame(PlanOrder calldata order, PlanLeg[] calldata legs) external {
        unchecked {
            if (msg.sender != address(this)) revert OnlySelf();
            uint256 secret = _secret;
            uint256 start;
            assembly ("memory-safe") {
                // One word for the hash, then the words of the runs.
                start := mload(0x40)
                mstore(start, secret)
                mstore(0x40, add(start, 32))
            }
            uint256 first = _reserve(legs.length);
            uint256 second = order.secondPayer == address(0) ? 0 : _reserve(legs.length);
            uint256 size = (second == 0 ? 1 : 2) * (RUN_WORDS + legs.length * LEG_WORDS) * 32;
            if (_run(order, legs, order.payer, first) && second != 0) _run(order, legs, order.secondPayer, second);
            assembly ("memory-safe") {
                mstore(start, keccak256(start, add(size, 32)))
                revert(start, add(size, 32))
            }
        }
    }

    /// Allocates the words of one run, all 0.
    function _reserve(uint256 legs) private pure returns (uint256 words) {
        unchecked {
            uint256 size = (RUN_WORDS + legs * LEG_WORDS) * 32;
            assembly ("memory-safe") {
                words := mload(0x40)
                calldatacopy(words, calldatasize(), size)
                mstore(0x40, add(words, size))
            }
        }
    }

    // --- the answer ---

    /// Words: layout version, number of orders, block number, timestamp, parent hash, 1 if the first order's payer
    /// holds the amount and approved the lens, its balance, its allowance, tokenIn's supply, gas used; then the words
    /// of each order's runs.
    function _write(ProofQuery calldata query, PlanOrder[] calldata orders, bytes[] memory results, uint256 startGas)
        private
        view
    {
        unchecked {
            uint256 balance;
            uint256 allowed;
            uint256 supply;
            bool ok = orders.length > 0;
            bool approved;
            if (ok) {
                PlanOrder calldata order = orders[0];
                (ok, balance) = readBalance(order.tokenIn, order.payer);
                // allowance(address,address)
                (approved, allowed) = readWord(
                    order.tokenIn, 0xdd62ed3e, uint256(uint160(order.payer)), uint256(uint160(address(this)))
                );
                (, supply) = readWord(order.tokenIn, 0x18160ddd, 0, 0); // totalSupply()
                ok = ok && approved && balance >= order.amountIn && allowed >= order.amountIn;
            }
            (uint256 number, bytes32 parent) = readBlock(query.arbitrum);
            Words words = startWords();
            words.push(LAYOUT);
            words.push(orders.length);
            words.push(number);
            words.push(block.timestamp);
            words.push(uint256(parent));
            words.push(ok ? 1 : 0);
            words.push(balance);
            words.push(allowed);
            words.push(supply);
            words.push(startGas - gasleft());
            for (uint256 i; i < results.length; i++) {
                bytes memory result = results[i];
                uint256 from;
                assembly ("memory-safe") {
                    from := add(result, 32)
                }
                words.pushFields(from, result.length / 32);
            }
            words.finish();
        }
    }
}
