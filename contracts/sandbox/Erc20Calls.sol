// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Transfers tokens as routers do: no return data or true is success, false or a revert is failure.
library Erc20Calls {
    error TransferFailed(address token, bytes reason);

    function send(address token, address to, uint256 amount) internal {
        _call(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
    }

    function pull(address token, address from, address to, uint256 amount) internal {
        _call(token, abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, amount));
    }

    /// Some tokens return nothing.
    function approve(address token, address spender, uint256 amount) internal {
        _call(token, abi.encodeWithSignature("approve(address,uint256)", spender, amount));
    }

    function balanceOf(address token, address holder) internal view returns (uint256 balance) {
        (bool ok, bytes memory answer) = token.staticcall(abi.encodeWithSignature("balanceOf(address)", holder));
        if (!ok || answer.length < 32) revert TransferFailed(token, answer);
        return abi.decode(answer, (uint256));
    }

    function _call(address token, bytes memory data) private {
        (bool ok, bytes memory answer) = token.call(data);
        if (!ok || (answer.length > 0 && !abi.decode(answer, (bool)))) revert TransferFailed(token, answer);
    }
}
