// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./RarePoolStates.sol";
import "./PlanTypes.sol";

/// A sale that the contract at `lens` executes on the routes with the highest estimates. If it is 0, nothing is executed.
struct Trial {
    address lens; // the executor, or PlanLens
    address payer;
    address secondPayer;
    uint256 amount; // in base units of the sold token
    uint256 early; // number of known pools to read before the pairs, so that first legs precede second legs
}

/// A pool as one leg of a route, with an estimate of its output. `PlanLeg` has the layout of `Leg`.
struct RouteCandidate {
    PlanLeg leg;
    uint256 entry; // index of the pool's entry in the answer
    uint256 paid; // estimated output
    uint256 depth; // the pool's reserve of the bought token
}

/// Executes the routes with the highest estimates after all states were read, so that a new market may need no second
/// request. Estimates only select these routes. `engine/quote` searches the states, and uses an execution if it matches
/// the plan that the search found.
abstract contract RouteTrials is RarePoolStates {
    // Indices of the candidates: 0 to 2 the best direct pools; 3 the second leg of the best two-leg route; 4 and 5 the
    // best direct pools with hooks; 6 and 7 two first legs of the two-leg route, one with the best output and one with
    // the largest reserve. From 8 on, for each token, the pool from the sold token with the best output and the one
    // with the largest reserve.
    uint256 private constant DIRECT = 3;
    uint256 private constant HOP = 3;
    uint256 private constant HOOKED = 4;
    uint256 private constant HOOKED_END = 6;
    uint256 private constant BEFORE_HOP = 6;
    uint256 private constant DEEPEST_BEFORE_HOP = 7;
    uint256 private constant FIRSTS = 8;
    uint256 private constant DEEPEST = FIRSTS + 3;
    // Maximum number of routes. The last two are the deepest direct pool, and the two-leg route with its deepest first
    // leg.
    uint256 private constant ROUTES = 8;

    /// Minimum gas to start a trial.
    uint256 private constant TRIAL_GAS = 1_000_000;
    uint256 private constant ROUTE_GAS = 8_000_000;
    /// Reserved for packing and returning the states.
    uint256 private constant RETURN_GAS = 1_500_000;
    uint256 private constant ORDER_BYTES = 224;

    /// Allocates the list of candidates.
    /// @param amount of the sold token, in base units
    function _startCandidates(Answer memory answer, uint256 tokens, uint256 amount) internal pure {
        RouteCandidate[] memory candidates = new RouteCandidate[](FIRSTS + 2 * tokens);
        candidates[FIRSTS].paid = amount;
        uint256 at;
        assembly ("memory-safe") {
            at := candidates
        }
        answer.candidates = at;
    }

    function _candidatesOf(Answer memory answer) private pure returns (RouteCandidate[] memory candidates) {
        uint256 at = answer.candidates;
        assembly ("memory-safe") {
            candidates := at
        }
    }

    /// Adds a pool to the candidates if its estimate is higher. Pairs of the sold token are read before those of the
    /// bought one, so that first legs are known when a second leg is estimated.
    function _consider(Answer memory answer, PoolEntry memory entry, PoolQuery memory query, uint256 form, bool aIsFirst)
        internal
        pure
        override
    {
        unchecked {
            RouteCandidate[] memory candidates = _candidatesOf(answer);
            (uint256 from, uint256 to) = (uint8(query.encodedPair), uint8(query.encodedPair >> 8));
            // Index 0 is the sold token and index 1 the bought one: routes start and end there.
            bool swapped = to == 0 || from == 1;
            if ((query.encodedPair >> 16) & (swapped ? 2 : 1) == 0) return;
            if (swapped) (from, to) = (to, from);
            if (from != 0 && to != 1) return;
            (uint256 paid, uint256 depth) = _estimate(entry, form, aIsFirst != swapped, candidates[FIRSTS + 2 * from].paid);
            uint256 index = from != 0 ? HOP : FIRSTS + 2 * to;
            bool direct = from == 0 && to == 1;
            RouteCandidate memory deepest = candidates[FIRSTS + 2 * to + 1];
            if (form >= FORM_HOOK) {
                // The estimate of a pool with a hook is unreliable, so such pools are direct candidates only.
                if (!direct) return;
            } else if (from == 0 && depth > deepest.depth) {
                _replace(deepest, answer, query.leg, swapped, paid, depth);
            }
            if (direct) {
                (uint256 first, uint256 end) = form < FORM_HOOK ? (uint256(0), DIRECT) : (HOOKED, HOOKED_END);
                for (index = end; index > first && paid > candidates[index - 1].paid; index--) {
                    if (index == end) continue;
                    // Without bounds checks: swaps the candidate with the one before.
                    assembly ("memory-safe") {
                        let at := add(candidates, shl(5, index))
                        let before := mload(at)
                        mstore(at, mload(add(at, 32)))
                        mstore(add(at, 32), before)
                    }
                }
                if (index == end) return;
            } else if (paid <= candidates[index].paid) {
                return;
            }
            _replace(candidates[index], answer, query.leg, swapped, paid, depth);
            // The two words are references, so that a better first leg, found later, also replaces this one.
            if (from != 0) {
                uint256 firsts = FIRSTS + 2 * from;
                assembly ("memory-safe") {
                    mcopy(add(candidates, mul(add(BEFORE_HOP, 1), 32)), add(candidates, shl(5, add(firsts, 1))), 64)
                }
            }
        }
    }

    /// Replaces a candidate. Copies the leg, because the memory of a query is reused.
    function _replace(
        RouteCandidate memory candidate,
        Answer memory answer,
        Leg memory from,
        bool swapped,
        uint256 paid,
        uint256 depth
    ) private pure {
        PlanLeg memory leg = candidate.leg;
        assembly ("memory-safe") {
            mcopy(leg, from, 224)
        }
        leg.shareBps = 10_000;
        if (swapped) (leg.tokenIn, leg.tokenOut) = (leg.tokenOut, leg.tokenIn);
        (candidate.entry, candidate.paid, candidate.depth) = (answer.count, paid, depth);
    }

    /// Estimates the output from the reserves, or from the virtual reserves of the liquidity in range.
    /// @return paid estimated output
    /// @return depth reserve of the bought token
    function _estimate(PoolEntry memory entry, uint256 form, bool zeroForOne, uint256 amount)
        private
        pure
        returns (uint256 paid, uint256 depth)
    {
        unchecked {
            (uint256 x, uint256 y) = (entry.first, entry.second);
            if (form >= FORM_V3) (x, y) = ((y << 96) / x, (y * (x >> 32)) >> 64);
            uint256 fee = uint32(zeroForOne ? entry.shape : entry.shape >> 32);
            if (!zeroForOne) (x, y) = (y, x);
            if ((amount | x | y) >> 120 != 0 || fee >= 1e6) return (0, 0);
            amount = amount * (1e6 - fee) / 1e6;
            if (amount == 0) return (0, 0);
            (paid, depth) = (y * amount / (x + amount), y);
            if (form == FORM_CAMELOT_STABLE || form == FORM_SOLIDLY_STABLE) {
                // Near the peg, a pool for stables trades at about 1:1.
                paid = amount * (zeroForOne ? entry.fourth : entry.third) / (zeroForOne ? entry.third : entry.fourth);
                if (paid > y / 2) paid = 0;
            }
        }
    }

    /// Writes the number of routes; for each one the number of its legs (lowest byte) and the indices of their entries;
    /// then the answer of the probe. Writes only a 0 if nothing was executed.
    function _tryCandidates(Answer memory answer, Trial calldata trial, bool arbitrum) internal {
        unchecked {
            uint256 lastWord = answer.end;
            _push(answer, 0);
            if (gasleft() < TRIAL_GAS + RETURN_GAS) return;
            // The calldata of `probe`, after the answer in memory. The lists have fixed offsets.
            uint256 at = lastWord + 0x1000;
            uint256 orders = at + 160;
            uint256 legs = orders + 32 + ROUTES * ORDER_BYTES;
            _store(at, uint32(IProbe.probe.selector));
            _store(at + 32, uint256(uint160(_native)));
            _store(at + 64, arbitrum ? 1 : 0);
            _store(at + 96, 128);
            _store(at + 128, 160 + ROUTES * ORDER_BYTES);
            (uint256 count, uint256 used) = _writePlans(answer, trial, orders + 32, legs + 32);
            _store(orders, count);
            _store(legs, used);
            uint256 size = legs + 32 + used * 256 - at - 28;
            (address lens, uint256 gas_, uint256 end) = (trial.lens, gasleft() - RETURN_GAS, answer.end);
            assembly ("memory-safe") {
                if mul(count, call(gas_, lens, 0, add(at, 28), size, 0, 0)) {
                    mstore(lastWord, count)
                    returndatacopy(end, 0, returndatasize())
                    lastWord := sub(add(end, returndatasize()), 32)
                }
            }
            answer.end = lastWord + 32;
        }
    }

    /// Writes the orders from memory address `order` on and the legs from `at` on, and each route's word to the answer.
    function _writePlans(Answer memory answer, Trial calldata trial, uint256 order, uint256 at)
        private
        pure
        returns (uint256 count, uint256 used)
    {
        unchecked {
            RouteCandidate[] memory candidates = _candidatesOf(answer);
            // Indices of the candidates, the first one in the lowest digit. The first route and those with
            // hooks are executed twice, once for each payer, so the best one comes first.
            uint256 indices = candidates[HOP].paid > candidates[0].paid ? 0x3b542103 : 0x3b543210;
            for (uint256 i; i < ROUTES; i++) {
                uint256 index = (indices >> (i << 2)) & 15;
                (uint256 first, uint256 entries, uint256 leg, uint256 paid) = (0, 1, 0, 0);
                // Without bounds checks. The last route starts with the deepest first leg instead of the best one.
                assembly ("memory-safe") {
                    let before := mload(add(candidates, shl(5, add(BEFORE_HOP, add(eq(i, DEEPEST_BEFORE_HOP), 1)))))
                    let candidate := mload(add(candidates, shl(5, add(index, 1))))
                    leg := mload(candidate)
                    let entry := shl(8, mload(add(candidate, 32)))
                    paid := mload(add(candidate, 64))
                    if eq(index, HOP) {
                        first := mload(before)
                        entry := or(shl(8, mload(add(before, 32))), shl(16, entry))
                        entries := 2
                    }
                    entries := or(entries, entry)
                }
                if (paid == 0 || _isWritten(answer.end, count, entries)) continue;
                uint256 start = at;
                if (first != 0) at = _writeLeg(first, at);
                at = _writeLeg(leg, at);
                used += uint8(entries);
                _push(answer, entries);
                _store(order, uint8(entries));
                _store(order + 32, ROUTE_GAS);
                // tokenIn of the first leg, and tokenOut of the last.
                assembly ("memory-safe") {
                    mstore(add(order, 64), mload(add(start, 64)))
                    mstore(add(order, 96), mload(sub(at, 160)))
                }
                _store(order + 128, trial.amount);
                _store(order + 160, uint256(uint160(trial.payer)));
                _store(order + 192, count == 0 || index >> 1 == HOOKED >> 1 ? uint256(uint160(trial.secondPayer)) : 0);
                order += ORDER_BYTES;
                count++;
            }
        }
    }

    /// Whether the last `count` words before `end` contain this one.
    function _isWritten(uint256 end, uint256 count, uint256 word) private pure returns (bool found) {
        assembly ("memory-safe") {
            for { let at := sub(end, shl(5, count)) } lt(at, end) { at := add(at, 32) } {
                if eq(mload(at), word) { found := 1 }
            }
        }
    }

    function _writeLeg(uint256 leg, uint256 at) private pure returns (uint256) {
        assembly ("memory-safe") {
            mcopy(at, leg, 256)
        }
        return at + 256;
    }
}
