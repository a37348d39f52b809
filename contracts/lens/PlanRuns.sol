// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./PlanSwaps.sol";

struct Trade {
    address tokenIn;
    address tokenOut;
    uint256 amountIn;
    address source; // pays tokenIn: an account that approved this contract, or this contract
    address target; // receives tokenOut
}

/// Executes the legs of a plan one after the other. The same code runs in a transaction and in a probe.
/// @dev A call holds tokens only between two legs. All state is transient. While a plan is executed, every external
/// function except pools' callbacks reverts.
abstract contract PlanRuns is PlanSwaps {
    /// Reserved in a frame to report its result after a leg used up its gas.
    uint256 internal constant REPORT_GAS = 60_000;

    error Reentered();
    error BadPlan();
    error BadShares();
    error NotThePool();
    error PartialFill();

    bool internal transient _entered;
    /// The account whose plan is executed; 0 = none.
    address internal transient _trader;

    modifier nonReentrant() {
        if (_entered) revert Reentered();
        _entered = true;
        _;
        _entered = false;
    }

    /// The account that trades, for hooks that ask the router; 0 outside of an execution.
    function msgSender() external view returns (address) {
        return _trader;
    }

    /// Accepts the native coin only while a plan is executed.
    receive() external payable {
        if (_trader == address(0)) revert NotThePool();
    }

    /// Pools' callbacks. Reverts for every caller but the pool that is being called.
    fallback() external {
        if (!_answerPool()) revert NotThePool();
    }

    /// Rejects plans that could charge more than amountIn or leave tokens here.
    function _assertPlan(Trade memory trade, PlanLeg[] calldata legs) internal view {
        if (legs.length == 0 || trade.amountIn == 0 || trade.tokenIn == trade.tokenOut) revert BadPlan();
        bool sells = false;
        for (uint256 i; i < legs.length; i++) {
            PlanLeg calldata leg = legs[i];
            if (leg.kind > KIND_V4_NATIVE || leg.pool == address(this) || leg.tokenIn == leg.tokenOut) revert BadPlan();
            // Sales of tokenOut would need tokens that the receiver already has; purchases of tokenIn would stay here.
            if (leg.tokenIn == trade.tokenOut || leg.tokenOut == trade.tokenIn) revert BadPlan();
            // The swap treats the leg's tokens as the native coin and one other.
            if (leg.kind == KIND_V4_NATIVE && leg.tokenIn != _native && leg.tokenOut != _native) revert BadPlan();
            if (leg.shareBps > 10_000) revert BadShares();
            sells = sells || leg.tokenIn == trade.tokenIn;
        }
        if (!sells) revert BadPlan();
    }

    /// Executes all legs and writes their amounts. In a probe it stops at the first leg that fails, and writes its status,
    /// index and reason; in a transaction it reverts.
    /// @param surpluses in a probe, what `_swap` does not count for each leg; in a transaction empty
    /// @return floors for the first leg that buys an intermediate token: its balance here before, plus 1; else 0
    // Both entry points are `nonReentrant`, and each leg sets the variables of its swap before it calls the pool.
    // slither-disable-next-line reentrancy-no-eth,reentrancy-benign
    function _runLegs(Trade memory trade, PlanLeg[] calldata legs, uint256[] memory surpluses, Run memory run)
        internal
        returns (uint256[] memory floors)
    {
        floors = new uint256[](legs.length);
        run.status = RAN;
        for (; run.index < legs.length; run.index++) {
            uint256 i = run.index;
            PlanLeg calldata leg = legs[i];
            bool buysOut = leg.tokenOut == trade.tokenOut;
            if (!buysOut && _isFirstPurchase(legs, i)) {
                (bool ok, uint256 held) = readBalance(leg.tokenOut, address(this));
                if (!ok || held == type(uint256).max) {
                    if (surpluses.length == 0) revert BalanceUnread();
                    // A fault of this leg's token must not be blamed on the pools of other legs.
                    (run.status, run.reason) = (REVERTED, uint256(uint32(BalanceUnread.selector)));
                    break;
                }
                floors[i] = held + 1;
            }
            uint256 amount = _amountOf(trade, legs, run);
            if (amount == 0) continue;
            address payer = leg.tokenIn == trade.tokenIn ? trade.source : address(this);
            address receiver = buysOut ? trade.target : address(this);
            if (surpluses.length > 0) {
                _tryLeg(leg, amount, payer, receiver, surpluses[i], run);
                if (run.status != RAN) break;
                continue;
            }
            (uint256 used, uint256 arrived, uint256 nominal, uint256 received) = _swap(leg, amount, payer, receiver, 0);
            if (used < amount) revert PartialFill();
            run.setLeg(i, used, arrived, nominal, received);
        }
    }

    /// Executes the run's current leg in its own call, so that a revert keeps the results of earlier legs.
    // A plan is a loop over its legs; a leg that fails ends it.
    // slither-disable-next-line calls-loop
    function _tryLeg(
        PlanLeg calldata leg,
        uint256 amount,
        address payer,
        address receiver,
        uint256 surplus,
        Run memory run
    ) private {
        unchecked {
            uint256 gasCap = gasleft();
            if (gasCap < REPORT_GAS * 2) {
                run.status = OUT_OF_GAS;
                return;
            }
            gasCap = (gasCap - REPORT_GAS) * 63 / 64;
            uint256 startGas = gasleft();
            bytes4 selector = this.swapLeg.selector;
            (bool ok, uint256 reason) = (false, 0);
            (uint256 used, uint256 arrived, uint256 nominal, uint256 received) = (0, 0, 0, 0);
            // In assembly, because ABI encoding checks and copies the eight fields of a leg one by one.
            assembly ("memory-safe") {
                let data := mload(0x40)
                mstore(data, selector)
                calldatacopy(add(data, 4), leg, 256)
                mstore(add(data, 260), amount)
                mstore(add(data, 292), payer)
                mstore(add(data, 324), receiver)
                mstore(add(data, 356), surplus)
                ok := call(gasCap, address(), 0, data, 388, data, 128)
                switch ok
                case 1 {
                    used := mload(data)
                    arrived := mload(add(data, 32))
                    nominal := mload(add(data, 64))
                    received := mload(add(data, 96))
                }
                default { if gt(returndatasize(), 3) { reason := shr(224, mload(data)) } }
            }
            if (ok) {
                run.setLeg(run.index, used, arrived, nominal, received);
                if (used < amount) run.status = RAN_PARTIALLY;
            } else {
                // A leg that used over 7/8 of its gas counts as out of gas, because failing inner calls keep 1/64 each.
                run.status = startGas - gasleft() > gasCap - gasCap / 8 ? OUT_OF_GAS : REVERTED;
                run.reason = reason;
            }
        }
    }

    /// See `PlanSwaps._swap`. A call of its own, so that `_tryLeg` can catch a revert.
    /// @dev Only a probe calls it, in a frame that always reverts.
    function swapLeg(PlanLeg calldata leg, uint256 amount, address payer, address receiver, uint256 surplus)
        external
        returns (uint256 used, uint256 arrived, uint256 nominal, uint256 received)
    {
        if (msg.sender != address(this)) revert OnlySelf();
        return _swap(leg, amount, payer, receiver, surplus);
    }

    /// The amount that the run's current leg sells of what the plan has of its tokenIn: the plan's amountIn, and what
    /// earlier legs bought.
    function _amountOf(Trade memory trade, PlanLeg[] calldata legs, Run memory run) private pure returns (uint256) {
        uint256 index = run.index;
        (address token,) = tokensOf(legs, index);
        uint256 total = token == trade.tokenIn ? trade.amountIn : 0;
        uint256 sold = 0;
        for (uint256 i; i < index; i++) {
            (address tokenIn, address tokenOut) = tokensOf(legs, i);
            if (tokenIn == token) sold += run.soldBy(i);
            if (tokenOut == token) total += run.boughtBy(i);
        }
        // Shares that sell more than the total would charge the payer more than the plan's amountIn.
        if (sold > total) revert BadShares();
        for (uint256 i = index + 1; i < legs.length; i++) {
            (address tokenIn,) = tokensOf(legs, i);
            if (tokenIn != token) continue;
            uint256 share = legs[index].shareBps;
            // The two parts are exact together, and their products cannot overflow.
            // slither-disable-next-line divide-before-multiply
            uint256 amount = total / 10_000 * share + total % 10_000 * share / 10_000;
            if (amount > total - sold) revert BadShares();
            return amount;
        }
        return total - sold;
    }

    function _isFirstPurchase(PlanLeg[] calldata legs, uint256 index) private pure returns (bool) {
        for (uint256 i; i < index; i++) {
            if (legs[i].tokenOut == legs[index].tokenOut) return false;
        }
        return true;
    }

    /// Pays the receiver what is left of intermediate tokens: a plan may buy one and not sell it, and some tokens change
    /// balances by themselves. In a probe it stops at the first token that fails, and writes status, index and reason.
    // A token that fails ends the loop.
    // slither-disable-next-line calls-loop
    function _sweep(PlanLeg[] calldata legs, uint256[] memory floors, address to, bool isProbe, Run memory run) internal {
        for (uint256 i; i < legs.length; i++) {
            if (floors[i] == 0) continue;
            if (!isProbe) {
                _sweepToken(legs[i].tokenOut, floors[i], to);
                continue;
            }
            try this.sweepToken{gas: gasleft() - gasleft() / 16}(legs[i].tokenOut, floors[i], to) {}
            catch (bytes memory data) {
                (run.status, run.index) = (REVERTED, i);
                run.reason = data.length < 4 ? 0 : uint256(uint32(bytes4(data)));
                return;
            }
        }
    }

    /// @dev Only a probe calls it, in a frame that always reverts.
    function sweepToken(address token, uint256 floor, address to) external {
        if (msg.sender != address(this)) revert OnlySelf();
        _sweepToken(token, floor, to);
    }

    function _sweepToken(address token, uint256 floor, address to) private {
        uint256 held = tokenBalance(token, address(this));
        if (held >= floor) _pay(token, address(this), to, held - floor + 1);
    }
}
