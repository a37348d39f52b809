// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Replaces the OP Stack's GasPriceOracle on the sandbox's Base with the same read ABI. Anyone can set the price, for
/// tests of a high L1 fee. The sandbox itself charges no L1 fee.
contract GasPriceOracleStub {
    /// Bytes that a signature adds to a transaction, as in the real oracle.
    uint256 private constant SIGNATURE_BYTES = 68;

    uint256 public weiPerByte;

    constructor(uint256 weiPerByte_) {
        weiPerByte = weiPerByte_;
    }

    function set(uint256 weiPerByte_) external {
        weiPerByte = weiPerByte_;
    }

    function getL1FeeUpperBound(uint256 unsignedTxSize) external view returns (uint256) {
        return weiPerByte * (unsignedTxSize + SIGNATURE_BYTES);
    }

    function getL1Fee(bytes calldata transaction) external view returns (uint256) {
        return weiPerByte * (transaction.length + SIGNATURE_BYTES);
    }
}
