// Rectangles whose areas are in proportion to values, as near to squares as they get.

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function squarify(values: number[], room: Rectangle): Rectangle[] {
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total <= 0 || room.width <= 0 || room.height <= 0) return values.map(() => ({ x: room.x, y: room.y, width: 0, height: 0 }));
  const order = values.map((_, at) => at).sort((a, b) => values[b] - values[a]);
  const scale = (room.width * room.height) / total;
  const result: Rectangle[] = new Array(values.length);
  let { x, y, width, height } = room;
  let row: number[] = [];
  let area = 0;

  const worst = (indices: number[], sum: number): number => {
    const side = Math.min(width, height);
    const sizes = indices.map((at) => values[at] * scale);
    const [most, least] = [Math.max(...sizes), Math.min(...sizes)];
    return Math.max((side * side * most) / (sum * sum), (sum * sum) / (side * side * least || 1e-9));
  };
  const place = (): void => {
    if (!row.length) return;
    const isWide = width >= height;
    const thickness = area / (isWide ? height : width || 1);
    let offset = 0;
    for (const at of row) {
      const length = (values[at] * scale) / (thickness || 1);
      result[at] = isWide ? { x, y: y + offset, width: thickness, height: length } : { x: x + offset, y, width: length, height: thickness };
      offset += length;
    }
    if (isWide) {
      x += thickness;
      width -= thickness;
    } else {
      y += thickness;
      height -= thickness;
    }
    row = [];
    area = 0;
  };
  for (const at of order) {
    const size = values[at] * scale;
    if (row.length && worst([...row, at], area + size) > worst(row, area)) place();
    row.push(at);
    area += size;
  }
  place();
  return result;
}
