// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Hostile return data.
library HostileReplies {
    error Refused();

    function burn() internal pure {
        assembly ("memory-safe") {
            invalid()
        }
    }

    /// Returns 100 kB of ones.
    function answerHuge() internal pure {
        assembly {
            for { let at := 0 } lt(at, 100000) { at := add(at, 32) } { mstore(at, not(0)) }
            return(0, 100000)
        }
    }

    function revertHuge() internal pure {
        assembly {
            for { let at := 0 } lt(at, 100000) { at := add(at, 32) } { mstore(at, not(0)) }
            revert(0, 100000)
        }
    }

    function answerOnes() internal pure {
        assembly {
            for { let at := 0 } lt(at, 256) { at := add(at, 32) } { mstore(at, not(0)) }
            return(0, 256)
        }
    }

    function answerShort() internal pure {
        assembly {
            mstore(0, not(0))
            return(0, 7)
        }
    }

    function answerNothing() internal pure {
        assembly {
            return(0, 0)
        }
    }

    function answerWord(uint256 word) internal pure {
        assembly {
            mstore(0, word)
            return(0, 32)
        }
    }
}
