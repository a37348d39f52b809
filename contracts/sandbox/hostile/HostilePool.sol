// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Erc20Calls} from "../Erc20Calls.sol";
import {HostileReplies} from "./HostileReplies.sol";

/// Replaces a real pool and holds its balances. Answers every call with one attack.
contract HostilePool {
    enum Attack {
        Reverts,
        BurnsGas,
        AnswersHuge,
        RevertsHuge,
        AnswersShort,
        AnswersOnes,
        LiesInState, // reports deep liquidity at ten times the price; a swap takes everything and sends nothing
        ForgesData, // calls back with forged data
        ForgesResult, // passes the caller's own result on with a better amount
        Reenters, // calls the caller's functions within the swap and reverts with their results
        Baits, // sends far more than was paid for in the callback, and reverts after the payment
        ForgesProof // reverts with data in the layout of a one-leg plan's result
    }

    Attack private immutable attack;
    address private immutable token0;
    address private immutable token1;

    constructor(Attack attack_, address a, address b) {
        attack = attack_;
        (token0, token1) = a < b ? (a, b) : (b, a);
    }

    fallback() external {
        if (attack == Attack.Reverts) revert HostileReplies.Refused();
        if (attack == Attack.BurnsGas) HostileReplies.burn();
        if (attack == Attack.AnswersHuge) HostileReplies.answerHuge();
        if (attack == Attack.RevertsHuge) HostileReplies.revertHuge();
        if (attack == Attack.AnswersShort) HostileReplies.answerShort();
        if (attack == Attack.AnswersOnes) HostileReplies.answerOnes();
        if (attack == Attack.ForgesProof && msg.sig != 0x0902f1ac && msg.sig != 0xf140a35a) _forgeProof();
        if (msg.sig == 0x0902f1ac) _answer(1 << 110, 1 << 111); // getReserves
        if (msg.sig == 0x3850c7bd) _answer(_price(), 0); // slot0
        if (msg.sig == 0x1a686502) _answer(1 << 120, 0); // liquidity
        if (msg.sig == 0x128acb08) _swapConcentrated();
        if (msg.sig == 0x022c0d9f) _swapPair();
        if (msg.sig == 0xf140a35a) _answer(1 << 100, 0); // getAmountOut
    }

    /// Ten times more of token1 for token0 than the balances imply.
    function _price() private view returns (uint256 price) {
        uint256 ratio = (Erc20Calls.balanceOf(token1, address(this)) << 128) / Erc20Calls.balanceOf(token0, address(this));
        uint256 guess = 1 << 128;
        for (uint256 i; i < 128; i++) guess = (guess + ((ratio * 10) << 64) / guess) / 2;
        return guess;
    }

    function _swapConcentrated() private {
        (, bool zeroForOne, int256 amount,, bytes memory data) =
            abi.decode(msg.data[4:], (address, bool, int256, uint160, bytes));
        int256 sent = -int256(uint256(1) << 100);
        (int256 delta0, int256 delta1) = zeroForOne ? (amount, sent) : (sent, amount);
        _bait(zeroForOne);
        _callBack(abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", delta0, delta1, _forged(data)));
        if (attack == Attack.Baits) revert HostileReplies.Refused();
        _answer(uint256(delta0), uint256(delta1));
    }

    function _swapPair() private {
        (uint256 out0, uint256 out1,, bytes memory data) = abi.decode(msg.data[4:], (uint256, uint256, address, bytes));
        _bait(out0 == 0);
        if (data.length > 0) {
            _callBack(
                abi.encodeWithSignature(
                    "uniswapV2Call(address,uint256,uint256,bytes)", msg.sender, out0, out1, _forged(data)
                )
            );
        }
        if (attack == Attack.Baits) revert HostileReplies.Refused();
    }

    /// Sends tokens, so that the caller has a result to report.
    function _bait(bool zeroForOne) private {
        if (attack != Attack.Baits && attack != Attack.ForgesResult) return;
        address token = zeroForOne ? token1 : token0;
        Erc20Calls.send(token, msg.sender, attack == Attack.Baits ? Erc20Calls.balanceOf(token, address(this)) / 2 : 1);
    }

    /// The caller's callback data with every small word zeroed: the previous balance and the amount owed.
    function _forged(bytes memory data) private view returns (bytes memory) {
        if (attack != Attack.ForgesData) return data;
        for (uint256 at; at + 32 <= data.length; at += 32) {
            assembly ("memory-safe") {
                let word := add(add(data, 32), at)
                if lt(mload(word), shl(250, 1)) { if gt(mload(word), shl(161, 1)) { mstore(word, 0) } }
            }
        }
        assembly ("memory-safe") {
            // Balance before, in the layout of a plan: make the lens count from zero.
            mstore(add(data, 160), 0)
        }
        return data;
    }

    function _callBack(bytes memory call_) private {
        if (attack == Attack.Reenters) _steal();
        (bool ok, bytes memory answer) = msg.sender.call(call_);
        if (ok) return;
        if (attack == Attack.ForgesResult) _passOn(answer);
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }

    /// Calls the caller's own functions as the caller would, and reverts with a better result at the end of their data.
    function _steal() private {
        bytes[] memory probes = new bytes[](8);
        Plan memory plan;
        plan.leg = Leg(1, address(this), token0, token1, 3000, 0, address(0), 0);
        (plan.amount, plan.arrived, plan.legs) = (1, 1, 1);
        bytes memory encoded = abi.encode(plan);
        probes[0] = bytes.concat(abi.encodeWithSignature("frame(uint256,address)", 1, token0), encoded);
        probes[1] = abi.encodeWithSignature("unlockCallback(bytes)", encoded);
        probes[2] = abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", 1, -1, encoded);
        probes[3] = abi.encodeWithSignature("uniswapV2Call(address,uint256,uint256,bytes)", address(this), 1, 0, encoded);
        Sale[] memory sales = new Sale[](1);
        sales[0] = Sale(1, 1, plan.leg, plan.leg);
        probes[4] = abi.encodeWithSignature(
            "sell((uint256,uint256,(uint256,address,address,address,uint256,int256,address,uint256),(uint256,address,address,address,uint256,int256,address,uint256))[],address,bool,uint256)",
            sales,
            token0,
            false,
            1
        );
        PlanLeg[] memory legs = new PlanLeg[](1);
        legs[0] = PlanLeg(1, address(this), token0, token1, 3000, 0, address(0), 10_000);
        Order[] memory orders = new Order[](1);
        orders[0] = Order(1, 1e6, token0, token1, 1, tx.origin, address(0));
        string memory order = "(uint256,uint256,address,address,uint256,address,address)";
        string memory leg = "(uint256,address,address,address,uint256,int256,address,uint256)";
        probes[5] = abi.encodeWithSignature(
            string.concat("prove((address,bool,uint256),", order, "[],", leg, "[])"), token0, false, 1, orders, legs
        );
        probes[6] = abi.encodeWithSignature(string.concat("frame(", order, ",", leg, "[])"), orders[0], legs);
        probes[7] = abi.encodeWithSignature(
            string.concat("swap(", leg, ",uint256,address,address,uint256)"), legs[0], 1, tx.origin, tx.origin, 0
        );
        for (uint256 i; i < probes.length; i++) {
            (, bytes memory answer) = msg.sender.call{gas: 300_000}(probes[i]);
            if (answer.length >= 256) _passOn(answer);
        }
    }

    /// Reverts with the caller's first word, followed by plausible amounts.
    function _passOn(bytes memory answer) private pure {
        assembly ("memory-safe") {
            for { let at := 96 } lt(at, 256) { at := add(at, 32) } { mstore(add(add(answer, 32), at), shl(100, 1)) }
            revert(add(answer, 32), 256)
        }
    }

    /// Marker, status 1, one leg done, no error, a large amount received, some gas; then the leg: 320 bytes.
    function _forgeProof() private pure {
        assembly {
            mstore(0, not(0))
            mstore(32, 1)
            mstore(64, 1)
            mstore(96, 0)
            for { let at := 128 } lt(at, 320) { at := add(at, 32) } { mstore(at, shl(100, 1)) }
            revert(0, 320)
        }
    }

    struct Order {
        uint256 legs;
        uint256 gasCap;
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        address payer;
        address secondPayer;
    }

    struct PlanLeg {
        uint256 kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint256 fee;
        int256 spacing;
        address hooks;
        uint256 shareBps;
    }

    struct Sale {
        uint256 amountIn;
        uint256 legs;
        Leg first;
        Leg second;
    }

    struct Leg {
        uint8 kind;
        address pool;
        address tokenIn;
        address tokenOut;
        uint24 fee;
        int24 spacing;
        address hooks;
        uint160 limit;
    }

    struct Plan {
        uint256 at;
        uint256 amount;
        uint256 paid;
        uint256 priceLimited;
        uint256 before;
        uint256 used;
        uint256 nominal;
        uint256 between;
        uint256 arrived;
        uint256 legs;
        Leg leg;
    }

    function _answer(uint256 a, uint256 b) private pure {
        assembly {
            mstore(0, a)
            mstore(32, b)
            mstore(64, 0)
            return(0, 96)
        }
    }
}

/// A factory that answers every call for its pools with one attack.
contract HostileFactory {
    enum Attack {
        Reverts,
        BurnsGas,
        AnswersHuge,
        AnswersShort,
        AnswersOnes, // more than an address
        NamesEmptyAddress, // an address without code
        NamesToken // a contract that is not a pool
    }

    Attack private immutable attack;
    address private immutable token;

    constructor(Attack attack_, address token_) {
        (attack, token) = (attack_, token_);
    }

    fallback() external {
        if (attack == Attack.Reverts) revert HostileReplies.Refused();
        if (attack == Attack.BurnsGas) HostileReplies.burn();
        if (attack == Attack.AnswersHuge) HostileReplies.answerHuge();
        if (attack == Attack.AnswersShort) HostileReplies.answerShort();
        if (attack == Attack.AnswersOnes) HostileReplies.answerOnes();
        if (attack == Attack.NamesEmptyAddress) HostileReplies.answerWord(uint256(uint160(0x00DeAD0000000000000000000000000000BEEf01)));
        HostileReplies.answerWord(uint256(uint160(token)));
    }
}
