// A map of rows: points on a plane, in groups with names. The one source for files that `embd map`
// writes and for the server's page. It needs no network, and draws with WebGL or, without it, on a
// plain canvas.
//
//   const map = new EmbdMap(element, {onChoose: i => …, label: i => "text of the row"});
//   map.setData({x, y, groups, names, colors, labels});   // see setData()
//   map.choose(7); map.highlight(i => …); map.showQuery({x, y, near: [3, 8]}); map.fit();
class EmbdMap {
  static SHADERS = [
    `attribute vec2 place; attribute vec4 color; uniform vec2 center; uniform vec2 scale; uniform float size;
     varying vec4 ink;
     void main() { gl_Position = vec4((place - center) * scale, 0.0, 1.0); gl_PointSize = size * (color.a < 0.4 ? 0.75 : 1.0); ink = color; }`,
    `precision mediump float; varying vec4 ink; uniform float size;
     void main() { float edge = length(gl_PointCoord - 0.5) * size; float a = ink.a * clamp(size * 0.5 - edge, 0.0, 1.0);
       gl_FragColor = vec4(ink.rgb * a, a); }`];
  // Eight colors that stay apart for people who see no red, green or blue, on paper and on dark ground;
  // steps from little to much; rows in no group. analysis/map/map_parts.h has the same for pictures.
  static PALETTES = {
    light: {colors: ["#2078e5", "#c37520", "#1f7448", "#b9378a", "#5627cc", "#b1ab06", "#19b2cb", "#7d1535"],
      steps: ["#d6b53c", "#9fb23f", "#5aa65b", "#2f9078", "#2c7585", "#36577f", "#3b2f6b"],
      none: "#9a958c", ink: "#1c1b19", paper: "#ffffff", query: "#d1001f"},
    dark: {colors: ["#467dfe", "#ff8635", "#0ec880", "#f8a2cb", "#b191fa", "#ffd45e", "#a6eaff", "#dc495c"],
      steps: ["#5a4fa3", "#4a72b0", "#3f93ad", "#45b09a", "#73c979", "#b3da5c", "#f5e663"],
      none: "#7d7a74", ink: "#f2efe9", paper: "#111315", query: "#ff5a6e"},
  };
  // A point's opacity among the others, and where others stand out.
  static SHOWN = 0.82;
  static DIMMED = 0.10;

  constructor(root, {onChoose = () => {}, label = i => "row " + i, canvasOnly = false} = {}) {
    this.root = root;
    this.onChoose = onChoose;
    this.label = label;
    this.view = {x: 0, y: 0, scale: 1};
    this.data = null;
    this.chosen = this.hovered = -1;
    this.near = [];
    this.query = null;
    this.mask = null;
    root.classList.add("embd-map");
    root.tabIndex = 0;
    root.setAttribute("role", "application");
    const add = (tag, name) => {
      const element = document.createElement(tag);
      element.className = name;
      root.append(element);
      return element;
    };
    this.points = add("canvas", "points");
    this.over = add("canvas", "over");
    this.labels = add("div", "labels");
    this.tip = add("div", "tip");
    this.tip.hidden = true;
    for (const element of [this.points, this.over, this.labels, this.tip]) element.setAttribute("aria-hidden", "true");
    const buttons = add("div", "zoom");
    for (const [sign, words, act] of [["+", "Zoom in", () => this.zoom(1.6)], ["−", "Zoom out", () => this.zoom(1 / 1.6)],
      ["⤢", "Show all", () => this.fit()]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = sign;
      button.title = words;
      button.setAttribute("aria-label", words);
      button.addEventListener("click", act);
      buttons.append(button);
    }
    this.gl = canvasOnly ? null : this.#startGl();
    this.kind = this.gl ? "webgl" : "canvas";
    this.points.addEventListener("webglcontextlost", event => event.preventDefault());
    this.points.addEventListener("webglcontextrestored", () => { this.gl = this.#startGl(); this.#upload(); this.redraw(); });
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => this.recolor());
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.#listen();
    new ResizeObserver(() => this.#resize()).observe(root);
    this.#resize();
  }

  // x, y: places; groups: a group a row, −1 for none; names: of the groups; colors: an index into the
  // palette a group; near(i): the rows nearest to row i; labels: [[x, y], …] where the names stand, or null for none; scale: true where the
  // groups are steps of a number.
  setData(data) {
    const count = data.x.length;
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < count; ++i) {
      left = Math.min(left, data.x[i]);
      right = Math.max(right, data.x[i]);
      bottom = Math.min(bottom, data.y[i]);
      top = Math.max(top, data.y[i]);
    }
    if (count === 0) left = right = bottom = top = 0;
    this.box = {left, right, bottom, top};
    this.data = data;
    this.chosen = this.hovered = -1;
    this.near = [];
    this.query = null;
    this.mask = null;
    this.counts = new Array(data.names.length).fill(0);
    for (const group of data.groups) if (group >= 0) ++this.counts[group];
    this.#buildGrid();
    this.#makeLabels();
    this.root.setAttribute("aria-label", `Map of ${count} rows. Arrow keys go from row to row, plus and minus zoom, 0 shows all.`);
    this.recolor();
    this.fit(true);
  }

  get count() { return this.data ? this.data.x.length : 0; }

  isDark() {
    const theme = document.documentElement.dataset.theme;
    return theme ? theme === "dark" : this.dark.matches;
  }

  get palette() { return EmbdMap.PALETTES[this.isDark() ? "dark" : "light"]; }

  color(group) {
    const {colors, steps, none} = this.palette;
    return group < 0 ? none : this.data.scale ? steps[this.data.colors[group]] : colors[this.data.colors[group]];
  }

  // After another theme.
  recolor() {
    if (!this.data) return;
    this.inks = this.data.names.map((_, group) => this.color(group));
    this.noInk = this.color(-1);
    for (const label of this.labels.children) label.firstChild.style.background = this.inks[label.group];
    for (const [group, swatch] of this.swatches || []) swatch.style.background = this.color(group);
    this.#upload();
    this.redraw();
  }

  // ---- what is marked

  choose(i, {center = false, tell = true} = {}) {
    this.chosen = i;
    this.near = i < 0 ? [] : (this.data.near ? this.data.near(i) : []);
    if (i >= 0 && center) this.centerOn(i);
    if (tell) this.onChoose(i);
    this.redraw();
  }

  // keep: which rows stand out; null: all.
  highlight(keep) {
    this.mask = keep && Uint8Array.from({length: this.count}, (_, i) => keep(i) ? 1 : 0);
    this.#upload();
    this.redraw();
  }

  // The place of a query among the rows that it is near; null for none. It moves there.
  showQuery(query) {
    const from = this.query;
    this.query = query && {...query};
    if (query && from) this.#animate(250, share => {
      this.query.x = from.x + (query.x - from.x) * share;
      this.query.y = from.y + (query.y - from.y) * share;
    });
    this.redraw();
  }

  // ---- the view

  fit(now = false) {
    const {left, right, bottom, top} = this.box;
    const room = Math.min(48, Math.min(this.width, this.height) * 0.08);
    const scale = Math.min((this.width - 2 * room) / (right - left || 1), (this.height - 2 * room) / (top - bottom || 1));
    this.whole = scale;
    this.#go({x: (left + right) / 2, y: (bottom + top) / 2, scale: Math.max(scale, 1e-9)}, now);
  }

  zoom(factor, px = this.width / 2, py = this.height / 2, now = false) {
    const scale = Math.min(Math.max(this.view.scale * factor, this.whole * 0.5), this.whole * 200);
    const [x, y] = this.#world(px, py);
    this.#go({x: x - (px - this.width / 2) / scale, y: y + (py - this.height / 2) / scale, scale}, now);
  }

  centerOn(i) {
    const scale = Math.max(this.view.scale, this.whole * 2.5);
    this.#go({x: this.data.x[i], y: this.data.y[i], scale});
  }

  get zoomed() { return this.view.scale / this.whole; }

  #go(view, now = false) {
    const from = {...this.view};
    if (now || this.calm.matches || !this.data) {
      this.view = view;
      this.goal = null;
      this.redraw();
      return;
    }
    this.goal = view;
    this.#animate(220, share => {
      if (this.goal !== view) return false;
      const scale = from.scale * Math.pow(view.scale / from.scale, share);
      // The point that stays where it is stays there all the way.
      const part = Math.abs(view.scale - from.scale) < 1e-9 ? share : (1 / from.scale - 1 / scale) / (1 / from.scale - 1 / view.scale);
      this.view = {x: from.x + (view.x - from.x) * part, y: from.y + (view.y - from.y) * part, scale};
      return true;
    });
  }

  #animate(time, step) {
    const start = performance.now();
    const frame = now => {
      const share = this.calm.matches ? 1 : Math.min(1, Math.max(0, (now - start) / time));
      if (step(1 - Math.pow(1 - share, 3)) === false) return;
      this.redraw();
      if (share < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  #world(px, py) {
    return [this.view.x + (px - this.width / 2) / this.view.scale, this.view.y - (py - this.height / 2) / this.view.scale];
  }

  #screen(x, y) {
    return [(x - this.view.x) * this.view.scale + this.width / 2, this.height / 2 - (y - this.view.y) * this.view.scale];
  }

  // ---- which row is where

  #buildGrid() {
    const {left, right, bottom, top} = this.box;
    const side = Math.max(1, Math.min(512, Math.round(Math.sqrt(this.count / 2))));
    const width = (right - left || 1) / side, height = (top - bottom || 1) / side;
    const cell = i => Math.min(side - 1, Math.floor((this.data.x[i] - left) / width)) +
      side * Math.min(side - 1, Math.floor((this.data.y[i] - bottom) / height));
    const begins = new Uint32Array(side * side + 1);
    for (let i = 0; i < this.count; ++i) ++begins[cell(i) + 1];
    for (let c = 0; c < side * side; ++c) begins[c + 1] += begins[c];
    const next = begins.slice(), rows = new Uint32Array(this.count);
    for (let i = 0; i < this.count; ++i) rows[next[cell(i)]++] = i;
    this.grid = {side, width, height, begins, rows};
  }

  // The row nearest to a place on the screen, within `reach` pixels; −1 for none. Rows that stand out
  // are asked first.
  rowAt(px, py, reach = 14) {
    if (this.count === 0) return -1;
    const {side, width, height, begins, rows} = this.grid;
    const [x, y] = this.#world(px, py), r = reach / this.view.scale;
    const clamp = value => Math.min(side - 1, Math.max(0, Math.floor(value)));
    let best = -1, least = r * r;
    for (const standing of this.mask ? [true, false] : [false]) {
      for (let cy = clamp((y - r - this.box.bottom) / height); cy <= clamp((y + r - this.box.bottom) / height); ++cy) {
        for (let cx = clamp((x - r - this.box.left) / width); cx <= clamp((x + r - this.box.left) / width); ++cx) {
          const cell = cx + side * cy;
          for (let at = begins[cell]; at < begins[cell + 1]; ++at) {
            const i = rows[at];
            if (standing && !this.mask[i]) continue;
            const d = (this.data.x[i] - x) ** 2 + (this.data.y[i] - y) ** 2;
            if (d <= least) [best, least] = [i, d];
          }
        }
      }
      if (best >= 0) break;
    }
    return best;
  }

  // The next row from the chosen one to the right (1, 0), up (0, 1) and so on; it keeps to rows that
  // stand out.
  next(dx, dy) {
    if (this.count === 0) return -1;
    const at = this.chosen;
    const [x, y] = at >= 0 ? [this.data.x[at], this.data.y[at]] : [this.view.x, this.view.y];
    let best = -1, least = Infinity;
    for (let i = 0; i < this.count; ++i) {
      if (i === at || (this.mask && !this.mask[i])) continue;
      const ox = this.data.x[i] - x, oy = this.data.y[i] - y;
      const along = ox * dx + oy * dy, beside = Math.abs(ox * dy) + Math.abs(oy * dx);
      if (at >= 0 && (along <= 0 || beside > along)) continue;
      const far = ox * ox + oy * oy + 3 * beside * beside;
      if (far < least) [best, least] = [i, far];
    }
    return best;
  }

  // ---- pointers and keys

  #listen() {
    const pointers = new Map();
    let moved = 0, spread = 0;
    const place = event => {
      const box = this.root.getBoundingClientRect();
      return [event.clientX - box.left - this.root.clientLeft, event.clientY - box.top - this.root.clientTop];
    };
    const over = this.over;
    over.addEventListener("pointerdown", event => {
      over.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, place(event));
      if (pointers.size === 1) moved = 0;
      this.goal = null;
      spread = 0;
    });
    over.addEventListener("pointermove", event => {
      const [px, py] = place(event), before = pointers.get(event.pointerId);
      if (!before) { this.hover(this.rowAt(px, py), px, py); return; }
      pointers.set(event.pointerId, [px, py]);
      if (pointers.size === 1) {
        moved += Math.abs(px - before[0]) + Math.abs(py - before[1]);
        if (moved > 4) {
          this.hover(-1);
          this.view.x -= (px - before[0]) / this.view.scale;
          this.view.y += (py - before[1]) / this.view.scale;
          this.redraw();
        }
      } else if (pointers.size === 2) {
        moved = 99;
        const [[ax, ay], [bx, by]] = [...pointers.values()], now = Math.hypot(ax - bx, ay - by);
        if (spread > 0) this.zoom(now / spread, (ax + bx) / 2, (ay + by) / 2, true);
        spread = now;
      }
    });
    const end = event => {
      if (!pointers.delete(event.pointerId)) return;
      spread = 0;
      if (event.type === "pointerup" && moved <= 4 && pointers.size === 0) {
        const [px, py] = place(event);
        this.choose(this.rowAt(px, py, event.pointerType === "touch" ? 22 : 14));
      }
    };
    over.addEventListener("pointerup", end);
    over.addEventListener("pointercancel", end);
    over.addEventListener("pointerleave", () => this.hover(-1));
    over.addEventListener("dblclick", event => this.zoom(event.shiftKey ? 0.5 : 2, ...place(event)));
    over.addEventListener("wheel", event => {
      event.preventDefault();
      this.hover(-1);
      const lines = event.deltaMode === 1 ? 20 : 1;
      this.goal = null;
      this.zoom(Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.002)), ...place(event), true);
    }, {passive: false});
    this.root.addEventListener("keydown", event => {
      if (event.target !== this.root || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
      if (step && event.shiftKey) {
        this.view.x += step[0] * 60 / this.view.scale;
        this.view.y += step[1] * 60 / this.view.scale;
      } else if (step) {
        const next = this.next(...step);
        if (next >= 0) this.choose(next);
        this.#keepInside();
      } else if (event.key === "+" || event.key === "=") this.zoom(1.6);
      else if (event.key === "-") this.zoom(1 / 1.6);
      else if (event.key === "0") this.fit();
      else if (event.key === "Escape") this.choose(-1);
      else return;
      event.preventDefault();
      this.redraw();
    });
  }

  #keepInside() {
    if (this.chosen < 0) return;
    const [px, py] = this.#screen(this.data.x[this.chosen], this.data.y[this.chosen]);
    if (px < 30 || py < 30 || px > this.width - 30 || py > this.height - 30)
      this.#go({...this.view, x: this.data.x[this.chosen], y: this.data.y[this.chosen]});
  }

  hover(i, px = 0, py = 0) {
    if (i !== this.hovered) {
      this.hovered = i;
      this.over.style.cursor = i >= 0 ? "pointer" : "";
      this.redraw();
    }
    this.tip.hidden = i < 0;
    if (i < 0) return;
    const text = this.label(i);
    this.tip.textContent = text.length > 220 ? text.slice(0, 220) + "…" : text;
    const {offsetWidth, offsetHeight} = this.tip;
    this.tip.style.left = Math.max(4, Math.min(px + 14, this.width - offsetWidth - 4)) + "px";
    this.tip.style.top = (py + 18 + offsetHeight > this.height ? Math.max(4, py - offsetHeight - 12) : py + 18) + "px";
  }

  // ---- drawing

  #resize() {
    const {clientWidth, clientHeight} = this.root;
    if (clientWidth === 0 || clientHeight === 0) { this.width = this.width || 1; this.height = this.height || 1; return; }
    const whole = this.view.scale === this.whole;
    this.width = clientWidth;
    this.height = clientHeight;
    this.ratio = window.devicePixelRatio || 1;
    for (const canvas of [this.points, this.over]) {
      canvas.width = Math.round(clientWidth * this.ratio);
      canvas.height = Math.round(clientHeight * this.ratio);
    }
    if (this.data && (whole || !(this.whole > 1e-9) || this.view.scale === this.whole)) this.fit(true);
    else if (this.data) { this.redraw(); }
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      if (this.data && this.root.clientWidth > 0) { this.#drawPoints(); this.#drawOver(); this.#placeLabels(); }
    });
  }

  // The size of a point in pixels: as the rows have room, growing a little with the zoom.
  pointSize() {
    const room = Math.sqrt(this.width * this.height / Math.max(1, this.count));
    return Math.min(16, Math.max(2.2, Math.min(9, room * 0.42)) * Math.pow(Math.max(1, this.zoomed), 0.3));
  }

  #startGl() {
    const gl = this.points.getContext("webgl", {antialias: false, premultipliedAlpha: true});
    if (!gl) return null;
    const program = gl.createProgram();
    EmbdMap.SHADERS.forEach((source, i) => {
      const shader = gl.createShader(i === 0 ? gl.VERTEX_SHADER : gl.FRAGMENT_SHADER);
      gl.shaderSource(shader, source.replace("precision mediump", i === 0 ? "" : "precision highp"));
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    });
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.places = gl.createBuffer();
    this.colors = gl.createBuffer();
    this.at = {};
    for (const name of ["center", "scale", "size"]) this.at[name] = gl.getUniformLocation(program, name);
    for (const name of ["place", "color"]) {
      this.at[name] = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(this.at[name]);
    }
    return gl;
  }

  // Rows that stand out are drawn over the others.
  #order() {
    const order = new Uint32Array(this.count);
    let at = 0;
    for (const standing of this.mask ? [0, 1] : [undefined])
      for (let i = 0; i < this.count; ++i) if (standing === undefined || this.mask[i] === standing) order[at++] = i;
    return order;
  }

  #upload() {
    if (!this.data) return;
    this.order = this.#order();
    const {gl} = this;
    if (!gl) return;
    const parse = ink => [1, 3, 5].map(at => parseInt(ink.slice(at, at + 2), 16));
    const inks = this.inks.map(parse), none = parse(this.noInk);
    const places = new Float32Array(2 * this.count), colors = new Uint8Array(4 * this.count);
    this.order.forEach((i, at) => {
      places[2 * at] = this.data.x[i];
      places[2 * at + 1] = this.data.y[i];
      const ink = this.data.groups[i] < 0 ? none : inks[this.data.groups[i]];
      colors.set(ink, 4 * at);
      colors[4 * at + 3] = 255 * this.#opacity(i);
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.places);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
    gl.vertexAttribPointer(this.at.place, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colors);
    gl.bufferData(gl.ARRAY_BUFFER, colors, gl.STATIC_DRAW);
    gl.vertexAttribPointer(this.at.color, 4, gl.UNSIGNED_BYTE, true, 0, 0);
  }

  #opacity(i) { return this.mask && !this.mask[i] ? EmbdMap.DIMMED : this.data.groups[i] < 0 ? EmbdMap.SHOWN * 0.6 : EmbdMap.SHOWN; }

  #drawPoints() {
    const {gl, view} = this, size = this.pointSize();
    if (!gl) { this.#drawPlain(size); return; }
    gl.viewport(0, 0, this.points.width, this.points.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(this.at.center, view.x, view.y);
    gl.uniform2f(this.at.scale, 2 * view.scale / this.width, 2 * view.scale / this.height);
    gl.uniform1f(this.at.size, size * this.ratio);
    gl.drawArrays(gl.POINTS, 0, this.count);
  }

  // Without WebGL: while the view moves, so many rows as can be drawn in a frame; then all.
  #drawPlain(size) {
    const most = 12000, moves = this.lastView && (this.lastView.x !== this.view.x || this.lastView.scale !== this.view.scale);
    const step = moves && this.count > most ? Math.ceil(this.count / most) : 1;
    this.lastView = {...this.view};
    if (step > 1) { clearTimeout(this.later); this.later = setTimeout(() => this.redraw(), 120); }
    const pen = this.points.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const r = size / 2;
    for (let at = 0; at < this.count; at += step) {
      const i = this.order[at], [px, py] = this.#screen(this.data.x[i], this.data.y[i]);
      if (px < -r || py < -r || px > this.width + r || py > this.height + r) continue;
      const group = this.data.groups[i];
      pen.globalAlpha = this.#opacity(i);
      pen.fillStyle = group < 0 ? this.noInk : this.inks[group];
      if (r < 1.6) { pen.fillRect(px - r, py - r, 2 * r, 2 * r); continue; }
      pen.beginPath();
      pen.arc(px, py, r, 0, 6.2832);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }

  #drawOver() {
    const pen = this.over.getContext("2d"), size = this.pointSize(), {ink, paper, query: accent} = this.palette;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const ring = (i, radius, width) => {
      const [px, py] = this.#screen(this.data.x[i], this.data.y[i]);
      pen.beginPath();
      pen.arc(px, py, radius, 0, 6.2832);
      pen.fillStyle = this.data.groups[i] < 0 ? this.noInk : this.inks[this.data.groups[i]];
      pen.fill();
      pen.lineWidth = width + 2;
      pen.strokeStyle = paper;
      pen.stroke();
      pen.lineWidth = width;
      pen.strokeStyle = ink;
      pen.stroke();
    };
    const lines = (x, y, rows, color) => {
      const [px, py] = this.#screen(x, y);
      pen.lineWidth = 1.25;
      pen.strokeStyle = color;
      rows.forEach((i, place) => {
        pen.globalAlpha = 0.85 - 0.5 * place / Math.max(1, rows.length);
        pen.beginPath();
        pen.moveTo(px, py);
        pen.lineTo(...this.#screen(this.data.x[i], this.data.y[i]));
        pen.stroke();
      });
      pen.globalAlpha = 1;
    };
    if (this.chosen >= 0) {
      lines(this.data.x[this.chosen], this.data.y[this.chosen], this.near, ink);
      for (const i of this.near) ring(i, size / 2 + 1, 1);
      ring(this.chosen, size / 2 + 4, 2.5);
    }
    if (this.query) {
      lines(this.query.x, this.query.y, this.query.near, accent);
      for (const i of this.query.near) ring(i, size / 2 + 1.5, 1.25);
      const [px, py] = this.#screen(this.query.x, this.query.y);
      pen.beginPath();
      for (const [dx, dy] of [[0, -10], [10, 0], [0, 10], [-10, 0]]) pen.lineTo(px + dx, py + dy);
      pen.closePath();
      pen.fillStyle = accent;
      pen.fill();
      pen.lineWidth = 2.5;
      pen.strokeStyle = paper;
      pen.stroke();
    }
    if (this.hovered >= 0) ring(this.hovered, size / 2 + 2.5, 2);
  }

  #makeLabels() {
    this.labels.replaceChildren();
    if (!this.data.labels) return;
    const largest = Math.max(1, ...this.counts);
    const groups = this.data.names.map((_, group) => group).filter(group => this.counts[group] > 0 && this.data.names[group] !== "");
    groups.sort((a, b) => this.counts[b] - this.counts[a] || a - b);
    for (const group of groups) {
      const label = document.createElement("span");
      label.append(document.createElement("i"), this.data.names[group]);
      label.group = group;
      label.size = 12 + 5 * Math.sqrt(this.counts[group] / largest);
      label.style.fontSize = label.size.toFixed(1) + "px";
      this.labels.append(label);
    }
  }

  // The names of large groups first; one that would lie over another waits for a closer look.
  #placeLabels() {
    const taken = [];
    for (const label of this.labels.children) {
      const [px, py] = this.#screen(...this.data.labels[label.group]);
      label.width ||= label.offsetWidth;
      const w = label.width / 2 + 4, h = label.size * 0.75 + 2;
      const x = Math.min(Math.max(px, w), this.width - w);
      const free = px > -20 && py > 0 && px < this.width + 20 && py < this.height &&
        !taken.some(other => Math.abs(other.x - x) < other.w + w && Math.abs(other.y - py) < other.h + h);
      label.style.visibility = free ? "" : "hidden";
      label.classList.toggle("dim", Boolean(this.only) && !this.only.has(label.group));
      if (!free) continue;
      taken.push({x, y: py, w, h});
      label.style.transform = `translate(${x.toFixed(1)}px, ${py.toFixed(1)}px) translate(-50%, -50%)`;
    }
  }

  // ---- the legend

  // A button a group, which shows that group alone; several may be pressed.
  drawLegend(element) {
    this.only = null;
    this.swatches = [];
    const groups = this.data.names.map((_, group) => group).filter(group => this.counts[group] > 0);
    const rest = this.count - this.counts.reduce((sum, count) => sum + count, 0);
    if (rest > 0 && groups.length > 0) groups.push(-1);
    const buttons = groups.map(group => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      const swatch = document.createElement("i"), name = document.createElement("span"), count = document.createElement("small");
      swatch.style.background = this.color(group);
      this.swatches.push([group, swatch]);
      name.textContent = group < 0 ? "in no group" : this.data.names[group] || `group ${group + 1}`;
      count.textContent = (group < 0 ? rest : this.counts[group]).toLocaleString("en");
      button.append(swatch, name, count);
      button.addEventListener("click", () => {
        this.only ||= new Set();
        if (!this.only.delete(group)) this.only.add(group);
        if (this.only.size === 0) this.only = null;
        buttons.forEach((other, at) => other.setAttribute("aria-pressed", String(Boolean(this.only?.has(groups[at])))));
        this.highlight(this.only && (i => this.only.has(this.data.groups[i])));
        element.dispatchEvent(new CustomEvent("groupschosen"));
      });
      return button;
    });
    element.replaceChildren(...buttons);
  }
}
