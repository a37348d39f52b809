type Child = Node | string | number | null | undefined | false;

/** An element with attributes and children. Strings become text, never markup: anyone can choose a token's name. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

/** The same in SVG. */
export function svg(
  name: string,
  attributes: Record<string, string | number | undefined> = {},
  ...children: Child[]
): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  fill(element, attributes, children);
  return element;
}

function fill(element: Element, attributes: Record<string, string | number | undefined>, children: Child[]): void {
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(key, String(value));
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}
