// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./LensTypes.sol";
import "./BoundedReads.sol";
import "./PoolCalls.sol";
import "./Words.sol";
import "./BlockWords.sol";

/// Executes plans chosen by the search and returns what they pay, in one eth_call. Each plan runs in a frame of its own
/// that always reverts, with a bounded share of the gas: a plan that fails or burns its gas costs no other plan its result.
/// The lens acts as the router that a trader approved: it pulls tokenIn from an account without code and pays later legs
/// from its own balance. `engine/quote/proof` encodes the question and decodes the answer.
contract PlanLens {
    uint256 private constant LAYOUT = 1;

    // How a run of a plan ended.
    uint256 private constant NOT_RUN = 0; // no gas was left, or the run before it failed
    uint256 private constant RAN = 1;
    uint256 private constant TOOK_PART = 2; // a pool consumed less than it was sold
    uint256 private constant REVERTED = 3;
    uint256 private constant OUT_OF_GAS = 4;
    uint256 private constant UNFUNDED = 5; // the payer does not hold the amount or did not approve the lens

    /// Kept back to write the answer, after three reads of tokenIn that may each burn READ_GAS.
    uint256 private constant ANSWER_GAS = 300_000 + 3 * (READ_GAS + READ_GAS / 32);
    /// Kept back in a frame to report its result after a leg used up its gas.
    uint256 private constant REPORT_GAS = 60_000;
    /// A twentieth: a token that credits more does not report reliable balances.
    uint256 private constant MOST_BONUS = 20;
    uint256 private constant RUN_WORDS = 5;
    uint256 private constant LEG_WORDS = 4;

    struct Question {
        address native; // the wrapped native token
        bool arbitrum;
        uint256 salt; // random; contracts on chain cannot know it
    }

    /// A plan. Its legs are the next `legs` entries of the list of legs.
    struct Order {
        uint256 legs;
        uint256 gasCap;
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        address payer; // holds amountIn, approved the lens, and receives tokenOut
        address secondPayer; // executes the plan again behind the first one; 0 = executed once
    }

    struct PlanLeg {
        uint256 kind;
        address pool; // or the manager of a singleton
        address tokenIn;
        address tokenOut;
        uint256 fee;
        int256 spacing;
        address hooks;
        uint256 shareBps; // of all that the plan sells of tokenIn; the last leg of a token sells the rest
    }

    /// A leg's result. Written to the answer in this order.
    struct LegFill {
        uint256 amountIn; // sent into the pool
        uint256 arrived; // received by the pool
        uint256 nominal; // sent by the pool, as it reports
        uint256 amountOut; // received by the lens or the receiver
    }

    error AlreadyAsked();
    error NotYours();
    error TransferFailed();
    error BalanceUnread();
    error PoolUnread();
    error AsksForMore();
    error SendsMoreThanSaid();
    error PaysNothing();
    error TooLarge();

    bool private transient _busy;
    /// Known only to this contract: a pool cannot forge a result by reverting with one.
    uint256 private transient _secret;
    address private transient _native;
    /// The leg under way: the contract that may call back, once, and what the callback pays.
    address private transient _expected;
    bytes32 private transient _expectedData;
    address private transient _tokenIn;
    address private transient _payer;
    bool private transient _zeroForOne;
    uint256 private transient _amount;
    uint256 private transient _paid;
    uint256 private transient _sent;

    /// Executes each order and writes the results; see `_write` for the layout.
    function prove(Question calldata question, Order[] calldata orders, PlanLeg[] calldata legs) external {
        unchecked {
            if (_busy) revert AlreadyAsked();
            _busy = true;
            uint256 startGas = gasleft();
            (_secret, _native) = (uint256(keccak256(abi.encode(question.salt, startGas))), question.native);
            bytes[] memory results = new bytes[](orders.length);
            uint256 begin;
            for (uint256 i; i < orders.length; i++) {
                uint256 end = begin + orders[i].legs;
                results[i] = _isolate(orders[i], legs[begin:end], orders.length - i);
                begin = end;
            }
            _write(question, orders, results, startGas);
        }
    }

    // --- frames ---

    /// @param left plans to execute, this one included: each gets an equal share of the gas that is left
    function _isolate(Order calldata order, PlanLeg[] calldata legs, uint256 left) private returns (bytes memory result) {
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
            bool whole;
            uint256 first;
            assembly ("memory-safe") {
                pop(call(gasCap, address(), 0, add(call_, 32), mload(call_), 0, 0))
                spent := sub(spent, gas())
                let body := add(result, 32)
                if eq(returndatasize(), add(size, 32)) {
                    returndatacopy(0, 0, 32)
                    let mark := mload(0)
                    returndatacopy(body, 32, size)
                    let end := mload(0x40)
                    mstore(end, secret)
                    mcopy(add(end, 32), body, size)
                    whole := eq(mark, keccak256(end, add(size, 32)))
                    if iszero(whole) { calldatacopy(body, calldatasize(), size) }
                }
                if and(iszero(whole), gt(returndatasize(), 3)) {
                    returndatacopy(0, 0, 4)
                    first := shr(224, mload(0))
                }
                if iszero(whole) {
                    // status, leg, reason, received, gas
                    mstore(body, REVERTED)
                    if gt(spent, sub(gasCap, shr(3, gasCap))) { mstore(body, OUT_OF_GAS) }
                    mstore(add(body, 64), first)
                    mstore(add(body, 128), spent)
                }
            }
        }
    }

    /// Executes a plan, again for a second payer where there is one, and reverts with the marked results.
    function frame(Order calldata order, PlanLeg[] calldata legs) external {
        unchecked {
            if (msg.sender != address(this)) revert NotYours();
            uint256 secret = _secret;
            uint256 start;
            assembly ("memory-safe") {
                // The mark's place, then the results.
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

    /// Memory for the words of one run, all zero.
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

    /// One run of a plan. Words: status, leg at which it ended, reason, received, gas, then four words a leg.
    function _run(Order calldata order, PlanLeg[] calldata legs, address payer, uint256 words) private returns (bool) {
        unchecked {
            uint256 spent = gasleft();
            (uint256 status, uint256 index, uint256 reason) = (UNFUNDED, 0, 0);
            uint256 held = _balanceOf(order.tokenIn, payer);
            uint256 before = _balanceOf(order.tokenOut, payer);
            if (held >= order.amountIn) {
                status = RAN;
                uint256[] memory surpluses = _surpluses(legs);
                for (; index < legs.length; index++) {
                    (status, reason) = _runLeg(order, legs, index, payer, surpluses[index], words);
                    if (status != RAN) break;
                }
                // A trader who holds just the size cannot pay a token that takes more from its sender than was sent.
                if (status == RAN && _balanceOf(order.tokenIn, payer) + order.amountIn < held) {
                    (status, reason) = (REVERTED, uint256(uint32(AsksForMore.selector)));
                }
            }
            uint256 received = _balanceOf(order.tokenOut, payer);
            received = received > before ? received - before : 0;
            assembly ("memory-safe") {
                mstore(words, status)
                mstore(add(words, 32), index)
                mstore(add(words, 64), reason)
                mstore(add(words, 96), received)
                mstore(add(words, 128), sub(spent, gas()))
            }
            return status == RAN;
        }
    }

    /// Executes one leg in a call of its own, so that its failure leaves the results before it and names the leg.
    function _runLeg(
        Order calldata order,
        PlanLeg[] calldata legs,
        uint256 index,
        address payer,
        uint256 surplus,
        uint256 words
    ) private returns (uint256 status, uint256 reason) {
        unchecked {
            PlanLeg calldata leg = legs[index];
            LegFill memory fill;
            fill.amountIn = _amountOf(order, legs, index, words);
            // Less than one unit of a token: nothing to sell.
            if (fill.amountIn == 0) return (RAN, 0);
            uint256 gasCap = gasleft();
            if (gasCap < REPORT_GAS * 2) return (OUT_OF_GAS, 0);
            gasCap = (gasCap - REPORT_GAS) * 63 / 64;
            uint256 spent = gasleft();
            try this.swap{gas: gasCap}(
                leg,
                fill.amountIn,
                leg.tokenIn == order.tokenIn ? payer : address(this),
                leg.tokenOut == order.tokenOut ? payer : address(this),
                surplus
            ) returns (uint256 used, uint256 arrived, uint256 nominal, uint256 received) {
                status = used < fill.amountIn ? TOOK_PART : RAN;
                (fill.amountIn, fill.arrived, fill.nominal, fill.amountOut) = (used, arrived, nominal, received);
                uint256 place = _legWords(words, index);
                assembly ("memory-safe") {
                    mcopy(place, fill, 128)
                }
            } catch (bytes memory data) {
                // At most 36 bytes: `swap` passes on the first four of any error.
                status = spent - gasleft() > gasCap - gasCap / 8 ? OUT_OF_GAS : REVERTED;
                reason = data.length < 4 ? 0 : uint256(uint32(bytes4(data)));
            }
        }
    }

    /// What lies in each pair beside its reserves before the plan begins. Anyone can take it first (`skim`), so it is not
    /// counted. What the plan's own legs add counts: a token may pass a part of each transfer on to all holders.
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

    function _legWords(uint256 words, uint256 index) private pure returns (uint256) {
        unchecked {
            return words + (RUN_WORDS + index * LEG_WORDS) * 32;
        }
    }

    /// What a leg sells: its share of all that the plan bought of its token, or the rest for the last leg of a token.
    function _amountOf(Order calldata order, PlanLeg[] calldata legs, uint256 index, uint256 words)
        private
        pure
        returns (uint256)
    {
        unchecked {
            address token = legs[index].tokenIn;
            uint256 total = token == order.tokenIn ? order.amountIn : 0;
            uint256 sold;
            for (uint256 i; i < index; i++) {
                uint256 place = _legWords(words, i);
                uint256 amountIn;
                uint256 amountOut;
                assembly ("memory-safe") {
                    amountIn := mload(place)
                    amountOut := mload(add(place, 96))
                }
                if (legs[i].tokenIn == token) sold += amountIn;
                if (legs[i].tokenOut == token) total += amountOut;
            }
            for (uint256 i = index + 1; i < legs.length; i++) {
                if (legs[i].tokenIn != token) continue;
                uint256 share = legs[index].shareBps;
                return total / 10_000 * share + total % 10_000 * share / 10_000;
            }
            return total - sold;
        }
    }

    // --- one swap ---

    /// Swaps `amount` through a pool, paid by `payer`; by the lens's own balance where that is the lens.
    /// @param surplus not counted as paid to a pair
    /// @return used what the pool took
    /// @return arrived what it received of that
    /// @return nominal what it sent, as it reports
    /// @return received what `receiver` received
    function swap(PlanLeg calldata leg, uint256 amount, address payer, address receiver, uint256 surplus)
        external
        returns (uint256 used, uint256 arrived, uint256 nominal, uint256 received)
    {
        if (msg.sender != address(this)) revert NotYours();
        uint256 before = _balanceOf(leg.tokenOut, receiver);
        (_tokenIn, _payer, _amount) = (leg.tokenIn, payer, amount);
        (_paid, _sent) = (0, 0);
        if (leg.kind >= KIND_V4) {
            bytes memory data = abi.encode(leg, amount, receiver);
            (_expected, _expectedData) = (leg.pool, keccak256(data));
            _do(leg.pool, 0, abi.encodeCall(ISingleton.unlock, (data)));
            (used, nominal) = (_paid, _sent);
            arrived = used;
        } else if (isConcentrated(leg.kind)) {
            nominal = _swapConcentrated(leg, amount, receiver);
            used = _paid;
            arrived = used;
        } else {
            (arrived, nominal) = _swapPair(leg, amount, payer, receiver, surplus);
            used = amount;
        }
        _expected = address(0);
        received = _balanceOf(leg.tokenOut, receiver) - before;
        if (received > nominal + nominal / MOST_BONUS) revert SendsMoreThanSaid();
    }

    function _swapConcentrated(PlanLeg calldata leg, uint256 amount, address receiver)
        private
        returns (uint256 nominal)
    {
        if (amount > uint256(type(int256).max)) revert TooLarge();
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        (_expected, _expectedData, _zeroForOne) = (leg.pool, 0, zeroForOne);
        (uint256 delta0, uint256 delta1) = _do(
            leg.pool,
            0,
            abi.encodeCall(
                IConcentratedPool.swap, (receiver, zeroForOne, int256(amount), uint160(_limit(zeroForOne)), "")
            )
        );
        int256 sent = int256(zeroForOne ? delta1 : delta0);
        if (sent < 0 && sent != type(int256).min) nominal = uint256(-sent);
    }

    function _limit(bool zeroForOne) private pure returns (uint256) {
        return zeroForOne ? MIN_SQRT + 1 : MAX_SQRT - 1;
    }

    /// As routers do it: the pair is paid, then the output is computed from what arrived. A token may sell into the pair
    /// while it is transferred, so the reserves after the payment count.
    function _swapPair(PlanLeg calldata leg, uint256 amount, address payer, address receiver, uint256 surplus)
        private
        returns (uint256 arrived, uint256 out)
    {
        bool zeroForOne = leg.tokenIn < leg.tokenOut;
        (uint256 known,) = _reservesOf(leg.pool, zeroForOne);
        uint256 beside = _balanceOf(leg.tokenIn, leg.pool);
        beside = beside > known ? beside - known : 0;
        if (beside < surplus) surplus = beside;
        _pay(leg.tokenIn, payer, leg.pool, amount);
        (uint256 reserveIn, uint256 reserveOut) = _reservesOf(leg.pool, zeroForOne);
        arrived = _balanceOf(leg.tokenIn, leg.pool) - reserveIn;
        // A pair that was synced meanwhile counts the surplus among its reserves.
        if (reserveIn == known) arrived = arrived > surplus ? arrived - surplus : 0;
        if (leg.kind == KIND_V2) {
            uint256 afterFee = arrived * (1e6 - leg.fee);
            if (reserveIn > 0) out = afterFee * reserveOut / (reserveIn * 1e6 + afterFee);
        } else if (reserveIn > 0 && reserveOut > 0 && arrived > 0) {
            (out,) = _do(leg.pool, 0, abi.encodeCall(IPairPool.getAmountOut, (arrived, leg.tokenIn)));
        }
        if (out == 0) revert PaysNothing();
        (uint256 out0, uint256 out1) = zeroForOne ? (uint256(0), out) : (out, uint256(0));
        _do(leg.pool, 0, abi.encodeCall(IPairPool.swap, (out0, out1, receiver, "")));
    }

    function _reservesOf(address pool, bool zeroForOne) private view returns (uint256, uint256) {
        (bool ok, uint256 size, uint256[5] memory words) = readWords(pool, 0x0902f1ac);
        if (!ok || size < 2) revert PoolUnread();
        return zeroForOne ? (words[0], words[1]) : (words[1], words[0]);
    }

    // --- callbacks ---

    receive() external payable {}

    /// The callback of concentrated pools has many names and one shape: (int256, int256, bytes). Only the pool under way
    /// is paid, once, and at most the amount that it was sold.
    fallback() external payable {
        if (msg.sender != _expected || msg.data.length < 68) return;
        _expected = address(0);
        (uint256 owed0, uint256 owed1) = abi.decode(msg.data[4:68], (uint256, uint256));
        uint256 owed = _zeroForOne ? owed0 : owed1;
        if (owed > _amount) revert AsksForMore();
        _paid = owed;
        _pay(_tokenIn, _payer, msg.sender, owed);
    }

    /// Called by a v4 manager while it is unlocked for this contract.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != _expected || keccak256(data) != _expectedData) return "";
        _expected = address(0);
        (PlanLeg memory leg, uint256 amount, address receiver) = abi.decode(data, (PlanLeg, uint256, address));
        if (amount > uint256(uint128(type(int128).max))) revert TooLarge();
        (address currencyIn, address currencyOut) = (leg.tokenIn, leg.tokenOut);
        if (leg.kind == KIND_V4_NATIVE) {
            if (currencyIn == _native) currencyIn = address(0);
            else currencyOut = address(0);
        }
        (uint256 used, uint256 sent) = _swapInside(leg, amount, currencyIn, currencyOut);
        (_paid, _sent) = (used, sent);
        if (used > amount) revert AsksForMore();
        if (used > 0) _settle(leg, currencyIn, used);
        if (sent > 0) _take(leg, currencyOut, sent, receiver);
        return "";
    }

    function _swapInside(PlanLeg memory leg, uint256 amount, address currencyIn, address currencyOut)
        private
        returns (uint256 used, uint256 sent)
    {
        bool zeroForOne = currencyIn < currencyOut;
        (address currency0, address currency1) = zeroForOne ? (currencyIn, currencyOut) : (currencyOut, currencyIn);
        PoolKey memory key = PoolKey(currency0, currency1, uint24(leg.fee), int24(leg.spacing), leg.hooks);
        SwapParams memory params = SwapParams(zeroForOne, -int256(amount), uint160(_limit(zeroForOne)));
        (uint256 word,) = _do(leg.pool, 0, abi.encodeCall(ISingleton.swap, (key, params, "")));
        int256 delta = int256(word);
        int128 deltaIn = int128(zeroForOne ? delta >> 128 : delta);
        int128 deltaOut = int128(zeroForOne ? delta : delta >> 128);
        if (deltaIn < 0) used = uint256(-int256(deltaIn));
        if (deltaOut > 0) sent = uint256(int256(deltaOut));
    }

    function _settle(PlanLeg memory leg, address currencyIn, uint256 used) private {
        if (currencyIn == address(0)) {
            if (_payer != address(this)) _pay(leg.tokenIn, _payer, address(this), used);
            _do(leg.tokenIn, 0, abi.encodeCall(IWrappedNative.withdraw, (used)));
            _do(leg.pool, used, abi.encodeCall(ISingleton.settle, ()));
        } else {
            _do(leg.pool, 0, abi.encodeCall(ISingleton.sync, (currencyIn)));
            _pay(currencyIn, _payer, leg.pool, used);
            _do(leg.pool, 0, abi.encodeCall(ISingleton.settle, ()));
        }
    }

    function _take(PlanLeg memory leg, address currencyOut, uint256 sent, address receiver) private {
        if (currencyOut != address(0)) {
            _do(leg.pool, 0, abi.encodeCall(ISingleton.take, (currencyOut, receiver, sent)));
            return;
        }
        _do(leg.pool, 0, abi.encodeCall(ISingleton.take, (currencyOut, address(this), sent)));
        _do(leg.tokenOut, sent, abi.encodeCall(IWrappedNative.deposit, ()));
        if (receiver != address(this)) _pay(leg.tokenOut, address(this), receiver, sent);
    }

    /// Hooks that ask their caller for the trader.
    function msgSender() external view returns (address) {
        return tx.origin;
    }

    // --- calls ---

    /// A call that has to succeed. Of an error its first four bytes are passed on: fewer than any result has.
    /// @return first words of the answer; 0 where it is shorter
    function _do(address target, uint256 value, bytes memory data) private returns (uint256 first, uint256 second) {
        assembly ("memory-safe") {
            let ok := call(gas(), target, value, add(data, 32), mload(data), 0, 64)
            let size := returndatasize()
            if iszero(ok) {
                if gt(size, 4) { size := 4 }
                returndatacopy(0, 0, size)
                revert(0, size)
            }
            if gt(size, 31) { first := mload(0) }
            if gt(size, 63) { second := mload(32) }
        }
    }

    function _balanceOf(address token, address holder) private view returns (uint256) {
        (bool ok, uint256 balance) = readBalance(token, holder);
        if (!ok) revert BalanceUnread();
        return balance;
    }

    /// transferFrom an account, or transfer from the lens's own balance.
    function _pay(address token, address payer, address to, uint256 amount) private {
        bool ok;
        bool pulled = payer != address(this);
        assembly ("memory-safe") {
            let at := mload(0x40)
            let shift := mul(pulled, 32)
            mstore(at, shl(224, 0xa9059cbb)) // transfer(to, amount)
            if pulled {
                mstore(at, shl(224, 0x23b872dd)) // transferFrom(payer, to, amount)
                mstore(add(at, 4), payer)
            }
            mstore(add(add(at, shift), 4), to)
            mstore(add(add(at, shift), 36), amount)
            ok := call(gas(), token, 0, at, add(68, shift), 0, 32)
            ok := and(ok, or(iszero(returndatasize()), and(gt(returndatasize(), 31), eq(mload(0), 1))))
        }
        if (!ok) revert TransferFailed();
    }

    // --- the answer ---

    /// Words: layout, orders, block number, timestamp, parent hash, payer check (1: holds the amount and approved),
    /// its balance, its allowance, tokenIn's supply, gas used; then the words of each order's runs.
    function _write(Question calldata question, Order[] calldata orders, bytes[] memory results, uint256 startGas)
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
                Order calldata order = orders[0];
                (ok, balance) = readBalance(order.tokenIn, order.payer);
                // allowance(address,address)
                (approved, allowed) = readWord(
                    order.tokenIn, 0xdd62ed3e, uint256(uint160(order.payer)), uint256(uint160(address(this)))
                );
                (, supply) = readWord(order.tokenIn, 0x18160ddd, 0, 0); // totalSupply()
                ok = ok && approved && balance >= order.amountIn && allowed >= order.amountIn;
            }
            (uint256 number, bytes32 parent) = readBlock(question.arbitrum);
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
