# Written by `make docs`.
from unjudged.measures.kernel.registry import Measure

__all__ = [
    "AP",
    "BinG",
    "Bpref",
    "Bpref10",
    "DCG",
    "ERR",
    "G",
    "GMAP",
    "GMBpref",
    "Hole",
    "IAP",
    "IPrec",
    "IdealDCG",
    "Judged",
    "NCP",
    "NumNonrelRet",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "R",
    "RBP",
    "RBPResidual",
    "RBPUpper",
    "RR",
    "RelP",
    "RnDCG",
    "Rprec",
    "RprecMult",
    "SetAP",
    "SetF",
    "SetP",
    "SetR",
    "SetRelP",
    "Success",
    "Unjudged",
    "Utility",
    "indAP",
    "infAP",
    "infNDCG",
    "infP",
    "nDCG",
    "nDCGRel",
    "statAP",
    "statAPVariance",
    "statP",
    "statRprec",
    "subAP",
    "xinfAP",
    "yaAP",
]

AP: Measure
BinG: Measure
Bpref: Measure
Bpref10: Measure
DCG: Measure
ERR: Measure
G: Measure
GMAP: Measure
GMBpref: Measure
Hole: Measure
IAP: Measure
IPrec: Measure
IdealDCG: Measure
Judged: Measure
NCP: Measure
NumNonrelRet: Measure
NumRel: Measure
NumRelRet: Measure
NumRet: Measure
P: Measure
R: Measure
RBP: Measure
RBPResidual: Measure
RBPUpper: Measure
RR: Measure
RelP: Measure
RnDCG: Measure
Rprec: Measure
RprecMult: Measure
SetAP: Measure
SetF: Measure
SetP: Measure
SetR: Measure
SetRelP: Measure
Success: Measure
Unjudged: Measure
Utility: Measure
indAP: Measure
infAP: Measure
infNDCG: Measure
infP: Measure
nDCG: Measure
nDCGRel: Measure
statAP: Measure
statAPVariance: Measure
statP: Measure
statRprec: Measure
subAP: Measure
xinfAP: Measure
yaAP: Measure
