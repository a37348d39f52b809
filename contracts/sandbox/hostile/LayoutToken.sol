// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Stores balances and allowances where other compilers and libraries store them. Taxes every transfer by 10 %, except
/// transfers by the initial holder.
contract LayoutToken {
    enum Layout {
        Vyper, // keccak256(slot . key), balances in slot 4, allowances in slot 5
        Solady, // keccak256(key . seed)
        Namespaced, // ERC-7201 namespace openzeppelin.storage.ERC20
        FarIndex // Solidity mappings behind 300 other slots
    }

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint256 private constant NAMESPACE = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00;

    uint8 public constant decimals = 18;
    Layout private immutable layout;
    address private immutable exempt;
    string public symbol;
    uint256 public totalSupply;

    constructor(string memory symbol_, address holder, uint256 supply, Layout layout_) {
        (symbol, layout, exempt, totalSupply) = (symbol_, layout_, holder, supply);
        _store(_balanceSlot(holder), supply);
        emit Transfer(address(0), holder, supply);
    }

    function name() external view returns (string memory) {
        return symbol;
    }

    function balanceOf(address holder) public view returns (uint256) {
        return _load(_balanceSlot(holder));
    }

    function allowance(address owner, address spender) public view returns (uint256) {
        return _load(_allowanceSlot(owner, spender));
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        _store(_allowanceSlot(msg.sender, spender), amount);
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance(from, msg.sender);
        if (allowed != type(uint256).max) _store(_allowanceSlot(from, msg.sender), allowed - amount);
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        uint256 kept = from == exempt ? 0 : amount / 10;
        _store(_balanceSlot(from), balanceOf(from) - amount);
        _store(_balanceSlot(to), balanceOf(to) + amount - kept);
        _store(_balanceSlot(address(this)), balanceOf(address(this)) + kept);
        emit Transfer(from, to, amount - kept);
        return true;
    }

    function _balanceSlot(address holder) private view returns (bytes32) {
        if (layout == Layout.Vyper) return keccak256(abi.encode(4, holder));
        if (layout == Layout.Solady) return keccak256(abi.encodePacked(holder, uint96(0x87a211a2)));
        return keccak256(abi.encode(holder, layout == Layout.Namespaced ? NAMESPACE : 300));
    }

    function _allowanceSlot(address owner, address spender) private view returns (bytes32) {
        if (layout == Layout.Vyper) return keccak256(abi.encode(keccak256(abi.encode(5, owner)), spender));
        if (layout == Layout.Solady) return keccak256(abi.encodePacked(owner, uint96(0x7f5e9f20), spender));
        uint256 slot = layout == Layout.Namespaced ? NAMESPACE + 1 : 301;
        return keccak256(abi.encode(spender, keccak256(abi.encode(owner, slot))));
    }

    function _load(bytes32 slot) private view returns (uint256 value) {
        assembly ("memory-safe") {
            value := sload(slot)
        }
    }

    function _store(bytes32 slot, uint256 value) private {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }
}
