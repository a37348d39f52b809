// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BlockWords.sol";
import "./PlanRuns.sol";
import "./Words.sol";

/// Executes plans in one eth_call and returns their outputs. Each plan runs in its own call frame, which always reverts
/// and has a bounded share of the gas. A plan that fails or burns its gas does not affect the others.
/// `engine/quote/plan` encodes the query and decodes the answer.
abstract contract PlanProbes is IProbe, PlanRuns {
    uint256 private constant LAYOUT = 1;
    /// Reserved for the answer, including three reads of tokenIn that may each burn READ_GAS.
    uint256 private constant ANSWER_GAS = 300_000 + 3 * (READ_GAS + READ_GAS / 32);

    /// @inheritdoc IProbe
    function probe(ProbeQuery calldata query, PlanOrder[] calldata orders, PlanLeg[] calldata legs) external nonReentrant {
        unchecked {
            uint256 startGas = gasleft();
            _native = query.native;
            bytes[] memory results = new bytes[](orders.length);
            uint256 begin = 0;
            for (uint256 i; i < orders.length; i++) {
                uint256 end = begin + orders[i].legs;
                results[i] = _isolate(orders[i], legs[begin:end], orders.length - i);
                begin = end;
            }
            // `_write` ends the call.
            _entered = false;
            _write(query, orders, results, startGas);
        }
    }

    /// Executes an order in its own frame.
    /// @param left number of orders left, including this one; each gets an equal share of the remaining gas
    /// @return result the words of its runs; if the frame failed, status, error selector and gas in the first run
    function _isolate(PlanOrder calldata order, PlanLeg[] calldata legs, uint256 left) private returns (bytes memory result) {
        unchecked {
            uint256 size = (order.secondPayer == address(0) ? 1 : 2) * (RUN_BYTES + legs.length * FILL_BYTES);
            result = new bytes(size);
            bytes memory call_ = abi.encodeCall(this.frame, (order, legs));
            uint256 gasCap = gasleft();
            gasCap = gasCap > ANSWER_GAS ? (gasCap - ANSWER_GAS) * 63 / 64 / left : 0;
            if (gasCap > order.gasCap) gasCap = order.gasCap;
            if (gasCap < REPORT_GAS * 2) return result;
            assembly ("memory-safe") {
                let spent := gas()
                // The frame always reverts.
                pop(call(gasCap, address(), 0, add(call_, 32), mload(call_), 0, 0))
                spent := sub(spent, gas())
                let body := add(result, 32)
                // Errors of other contracts are cut to four bytes, so only the frame itself reverts with a result.
                switch eq(returndatasize(), size)
                case 1 { returndatacopy(body, 0, size) }
                default {
                    // The fields of a Run. A frame that used over 7/8 of its gas counts as out of gas, because failing
                    // inner calls keep 1/64 each.
                    mstore(body, REVERTED)
                    if gt(spent, sub(gasCap, shr(3, gasCap))) { mstore(body, OUT_OF_GAS) }
                    if gt(returndatasize(), 3) {
                        returndatacopy(0, 0, 4)
                        mstore(add(body, 64), shr(224, mload(0)))
                    }
                    mstore(add(body, 128), spent)
                }
            }
        }
    }

    /// Executes a plan, then again for a second payer if there is one. Always reverts, with the words of the runs.
    /// @dev Only `probe` calls it. The payer is not the caller, so nothing may survive.
    // Only `probe` gets here, which is `nonReentrant`, and the frame reverts.
    // slither-disable-next-line reentrancy-no-eth,reentrancy-benign
    function frame(PlanOrder calldata order, PlanLeg[] calldata legs) external {
        if (msg.sender != address(this) || !_entered || _trader != address(0)) revert OnlySelf();
        (Run memory first, Run memory second) = newRuns(legs.length);
        uint256 size = RUN_BYTES + legs.length * FILL_BYTES;
        _probe(order, legs, order.payer, first);
        if (order.secondPayer != address(0)) {
            size *= 2;
            if (first.status == RAN) _probe(order, legs, order.secondPayer, second);
        }
        assembly ("memory-safe") {
            revert(first, size)
        }
    }

    /// Executes a plan for a payer as a transaction would.
    function _probe(PlanOrder calldata order, PlanLeg[] calldata legs, address payer, Run memory run) private {
        unchecked {
            uint256 startGas = gasleft();
            _trader = payer;
            Trade memory trade = Trade(order.tokenIn, order.tokenOut, order.amountIn, payer, payer);
            uint256 held = tokenBalance(trade.tokenIn, payer);
            uint256 before = tokenBalance(trade.tokenOut, payer);
            run.status = UNFUNDED;
            if (held >= trade.amountIn) {
                // The second run executes the same plan, and only if the first one ran.
                if (payer == order.payer) _assertPlan(trade, legs);
                uint256[] memory floors = _runLegs(trade, legs, _surpluses(legs), run);
                if (run.status == RAN) {
                    _sweep(legs, floors, payer, true, run);
                    // A trader who holds exactly the size cannot sell a token that debits more than was sent.
                    if (run.status == RAN && tokenBalance(trade.tokenIn, payer) + trade.amountIn < held) {
                        (run.status, run.reason) = (REVERTED, uint256(uint32(ChargesTooMuch.selector)));
                    }
                }
            }
            uint256 balance = tokenBalance(trade.tokenOut, payer);
            run.received = balance > before ? balance - before : 0;
            run.gas = startGas - gasleft();
        }
    }

    /// Tokens that each pair holds above its reserves before the plan. They are not counted, because anyone can
    /// withdraw them (`skim`). A surplus from the plan's own legs counts: a token may distribute a part of each
    /// transfer.
    function _surpluses(PlanLeg[] calldata legs) private view returns (uint256[] memory surpluses) {
        unchecked {
            surpluses = new uint256[](legs.length);
            for (uint256 i; i < legs.length; i++) {
                if (isConcentrated(legs[i].kind)) continue;
                (bool ok, uint256 size, uint256[5] memory words) = readWords(legs[i].pool, 0x0902f1ac); // getReserves()
                if (!ok || size < 2) continue;
                uint256 balance;
                (ok, balance) = readBalance(legs[i].tokenIn, legs[i].pool);
                uint256 reserve = words[legs[i].tokenIn < legs[i].tokenOut ? 0 : 1];
                if (ok && balance > reserve) surpluses[i] = balance - reserve;
            }
        }
    }

    /// Words: layout version, number of orders, block number, timestamp, parent hash, 1 if the first order's payer
    /// holds the amount and approved this contract, its balance, its allowance, tokenIn's supply, gas used; then the
    /// words of each order's runs.
    function _write(ProbeQuery calldata query, PlanOrder[] calldata orders, bytes[] memory results, uint256 startGas)
        private
        view
    {
        unchecked {
            uint256 balance;
            uint256 allowed;
            uint256 supply;
            bool ok = orders.length > 0;
            if (ok) {
                PlanOrder calldata order = orders[0];
                bool approved;
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
