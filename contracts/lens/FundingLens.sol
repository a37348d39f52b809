// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import "./BoundedReads.sol";

/// Reads what decides how an account can be funded with a token: its decimals and supply, and which of some guessed
/// balances and allowances the token reports. Each guess lies in an account of its own.
contract FundingLens {
    /// Together with one more read of READ_GAS this stays below the gas of a call.
    uint256 private constant LEAST_GAS = 2_000_000;

    struct Funding {
        uint256 decimals; // above 255 = unreadable
        uint256 supply; // 0 = unreadable
        uint256[] balances; // 0 = none, or unreadable
        uint256[] allowances;
    }

    /// @param holders accounts whose balance was guessed
    /// @param owners accounts whose allowance for `spender` was guessed
    function read(address token, address[] calldata holders, address[] calldata owners, address spender)
        external
        view
        returns (Funding memory funding)
    {
        (, bool ok, uint256 decimals) = readDecimals(token);
        funding.decimals = ok ? decimals : type(uint256).max;
        (, funding.supply) = readWord(token, 0x18160ddd, 0, 0); // totalSupply()
        funding.balances = new uint256[](holders.length);
        funding.allowances = new uint256[](owners.length);
        for (uint256 i; i < holders.length && gasleft() > LEAST_GAS; i++) {
            (, funding.balances[i]) = readBalance(token, holders[i]);
        }
        for (uint256 i; i < owners.length && gasleft() > LEAST_GAS; i++) {
            // allowance(address,address)
            (, funding.allowances[i]) =
                readWord(token, 0xdd62ed3e, uint256(uint160(owners[i])), uint256(uint160(spender)));
        }
    }
}
