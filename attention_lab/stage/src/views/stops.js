// Panels that are one moment of the whole computation: 01 the three projections, 05 the weighted sum.

import { compute } from "../compute.js";
import { draw, stopOf } from "../draw.js";
import { FORMULAS } from "../formulas.js";
import { layout } from "../layout.js";
import { fill, rowWords, seenBy } from "../words.js";

const stop = (T, name, extra = {}) => ({
  formula: FORMULAS[name],
  prepare: compute,
  layout,
  draw: (scene) => draw({ ...scene, T, ...extra }),
  words(scene) {
    const { words } = scene, title = words[`title_${stopOf(T)}`], seen = seenBy(scene);
    if (!seen.k) return { title, say: fill(words.sees_nothing, seen) };
    return { title, say: fill(words[seen.k === seen.n && words[`panel_${name}_all`] ? `panel_${name}_all` : `panel_${name}`], seen) };
  },
  row: (scene) => rowWords(stopOf(T), scene),
  turned: T > 2.2,
  ...extra,
});

export const mask = stop(9, "mask", { tables: ["A", "Z"], traceable: true });

export const projections = stop(2, "projections", {
  upperOnly: true,
  tables: ["Q", "K", "V"],
  layout: (...size) => {
    const G = layout(...size), lowerRoom = G.narrow ? 0 : 130;
    return { ...G, lowerRoom, height: G.y1 + G.middle + 10 + (lowerRoom ? lowerRoom + 22 : 0) };
  },
});
