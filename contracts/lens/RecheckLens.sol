// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./ExitSales.sol";

/// The exit lens for a token whose pools are known: it searches for none. A tenth of the question and a third of the code.
contract RecheckLens is ExitSales {
    uint256 private constant MAX_WORDS = 2_000;

    struct Base {
        address token;
        address feed;
    }

    struct Recheck {
        address token;
        address native;
        address sequencer;
        Base[] bases;
        KnownPool[] known;
        address[] holders;
        bytes4[] getters;
        uint256 salt; // random and new for every question: it marks results
    }

    /// Reports the block, the token, bases and pools as ExitLens does; the pools in the order of the question.
    function recheck(Recheck calldata question) external {
        if (_busy) revert AlreadyAsked();
        _busy = true;
        Notes memory words = newNotes(MAX_WORDS);
        address token = question.token;
        _writeBlock(words);
        _writeToken(words, token);
        _writeGettersAndBalances(words, token, question.getters, question.holders);
        _prepare(question.native, question.salt);
        words.push(readSequencer(question.sequencer));
        words.push(question.bases.length);
        for (uint256 i; i < question.bases.length; i++) {
            _writeBase(words, question.bases[i].token, question.bases[i].feed);
        }
        uint256 count = question.known.length;
        Exit[] memory exits = new Exit[](count);
        for (uint256 i; i < count; i++) exits[i].found = _fromKnown(token, question.known[i]);
        uint256[] memory order = _largestFirst(exits, count);
        for (uint256 i; i < count; i++) _measure(exits[order[i]], false);
        words.push(count);
        for (uint256 i; i < count; i++) _writeExit(words, exits[i]);
        words.finish();
    }

    function _wrapped() internal view override returns (address) {
        return _native();
    }
}
