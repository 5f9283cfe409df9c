// Formulas as plain HTML: no font or library to load. The root sign is a small drawing, since as a
// letter it falls into whatever font has one.

const root = (inside) =>
  `<span class="al-root"><svg viewBox="0 0 10 22" preserveAspectRatio="none" aria-hidden="true"><path d="M.5 13.2L3 11.6 6.2 20.6 9.6.8H10" fill="none" stroke="currentColor" stroke-width="1.5" vector-effect="non-scaling-stroke"/></svg><span class="al-radicand">${inside}</span></span>`;
const D_K = "<i>d<sub>k</sub></i>", ROOT = root(D_K), T = '<sup class="al-upright">T</sup>';
const in_ = (role, text) => `<i class="al-${role}">${text}</i>`;
const [Q, K, V] = ["Q", "K", "V"].map((X) => in_(X, X)), W = (X) => in_(X, `W<sub>${X}</sub>`);

const PROJECTIONS = [`${Q} = <i>H</i> ${W("Q")}&emsp;${K} = <i>H</i> ${W("K")}&emsp;${V} = <i>H</i> ${W("V")}`, "Q = H W Q, K = H W K, V = H W V"];

// stop or panel -> [HTML, what a screen reader says]
export const FORMULAS = {
  1: ['<i>H</i> ∈ ℝ<sup><i>n</i> × <i>d</i><sub class="al-upright">model</sub></sup>', "H in R, n by d model"],
  2: PROJECTIONS,
  "3a": [`<i>S<sub>ij</sub></i> = ${in_("Q", "q<sub>i</sub>")} · ${in_("K", "k<sub>j</sub>")}`, "S i j = q i dot k j"],
  "3b": [`<i>S</i> = ${Q} ${K}${T}`, "S = Q K transposed"],
  "4a": [`<i>S</i> / ${ROOT}`, "S over root d k"],
  "4b": [`<i>S</i> / ${ROOT} + <i>M</i>`, "S over root d k, plus M"],
  "4c": [`<i>A</i> = softmax(<i>S</i> / ${ROOT} + <i>M</i>)`, "A = softmax of S over root d k, plus M"],
  "5a": [`<i>z<sub>i</sub></i> = Σ<sub><i>j</i></sub> <i>A<sub>ij</sub></i> ${in_("V", "v<sub>j</sub>")}`, "z i = sum over j of A i j v j"],
  "5b": [`<i>Z</i> = <i>A</i> ${V}`, "Z = A V"],
  projections: PROJECTIONS,
  scores: [`<i>S<sub>ij</sub></i> = ${in_("Q", "q<sub>i</sub>")} · ${in_("K", "k<sub>j</sub>")}&emsp;<i>S</i> = ${Q} ${K}${T}`, "S i j = q i dot k j, S = Q K transposed"],
  row: ["<i>A<sub>ij</sub></i> = e<sup><i>s<sub>ij</sub></i>/<i>τ</i></sup> / Σ<sub><i>l</i></sub> e<sup><i>s<sub>il</sub></i>/<i>τ</i></sup>", "A i j = e to the s i j over tau, over the sum of the row"],
  heads: [`MHA(<i>H</i>) = Concat(<i>Z</i><sub>1</sub> … <i>Z<sub>m</sub></i>) <i>W<sub>O</sub></i>`, "MHA of H = Concat of Z 1 to Z m, times W O"],
  mask: [`<i>Z</i> = softmax(${Q} ${K}${T} / ${ROOT} + <i>M</i>) ${V}`, "Z = softmax of Q K transposed over root d k, plus M, times V"],
};

// A sentence with its mathematical letters set as such; everything else, tokens too, stays plain text.
export function setSentence(node, sentence) {
  const parts = sentence.split(/(√d_k|d_k|W_[QKVO]|(?<![A-Za-z“])[HSVZz](?![A-Za-z”]))/);
  node.replaceChildren(...parts.map((part, k) => {
    if (k % 2 === 0) return part; // split puts what it found at the odd places
    const span = document.createElement("span"), letter = document.createElement("i");
    span.className = "al-math";
    span.lang = "en";
    if (part === "√d_k") span.innerHTML = ROOT;
    else if (part === "d_k") span.innerHTML = D_K;
    else if (part[1] === "_") letter.append("W", Object.assign(document.createElement("sub"), { textContent: part[2] }));
    else letter.textContent = part;
    if (letter.firstChild) span.append(letter);
    return span;
  }));
}
