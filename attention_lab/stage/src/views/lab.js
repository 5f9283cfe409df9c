// The Mechanism Lab: the whole computation at T, with the words of the stop that T leads to.

import { compute } from "../compute.js";
import { draw, stopOf } from "../draw.js";
import { FORMULAS } from "../formulas.js";
import { layout } from "../layout.js";
import { rowWords, stopWords } from "../words.js";

const TABLES = { 1: ["H"], 2: ["Q", "K", "V"], 3: ["S"], 4: ["S", "A"], 5: ["A", "Z"] };

export const lab = {
  plays: true,
  formulaAt: (T) => FORMULAS[stopOf(T)],
  prepare: compute,
  layout,
  draw,
  tablesAt: (T) => TABLES[stopOf(T)[0]],
  words: (scene) => stopWords(stopOf(scene.T), scene),
  row: (scene) => rowWords(stopOf(scene.T), scene),
};
