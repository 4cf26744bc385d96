; ModuleID = 'random'
source_filename = "random"
target datalayout = "e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7:8:9"
target triple = "amdgcn-amd-amdhsa"

@lds = internal addrspace(3) global [6144 x i8] poison, align 16

; Function Attrs: nounwind
define protected amdgpu_kernel void @kernel(ptr addrspace(1) %0, ptr addrspace(1) %1, i32 %2, i64 %3, float %4, i32 %5) #0 {
entry:
  %6 = call i32 @llvm.amdgcn.workitem.id.x()
  %7 = call i32 @llvm.amdgcn.workgroup.id.x()
  %8 = mul i32 %6, 64
  %9 = getelementptr i8, ptr addrspace(3) @lds, i32 %8
  %10 = mul i32 %7, 96
  %11 = add i32 %10, %6
  %12 = zext i32 %11 to i64
  %13 = mul i64 %12, 256
  %14 = getelementptr i8, ptr addrspace(1) %0, i64 %13
  %15 = mul i64 %12, 2048
  %16 = getelementptr i8, ptr addrspace(1) %1, i64 %15
  %17 = getelementptr i8, ptr addrspace(1) %16, i64 1920
  %18 = alloca [16 x i32], align 4, addrspace(5)
  %19 = icmp ult i32 %11, %5
  br i1 %19, label %body, label %exit

body:                                             ; preds = %entry
  %20 = getelementptr i32, ptr addrspace(5) %18, i32 0
  store i32 0, ptr addrspace(5) %20, align 4
  %21 = getelementptr i32, ptr addrspace(5) %18, i32 1
  store i32 77, ptr addrspace(5) %21, align 4
  %22 = getelementptr i32, ptr addrspace(5) %18, i32 2
  store i32 154, ptr addrspace(5) %22, align 4
  %23 = getelementptr i32, ptr addrspace(5) %18, i32 3
  store i32 231, ptr addrspace(5) %23, align 4
  %24 = getelementptr i32, ptr addrspace(5) %18, i32 4
  store i32 308, ptr addrspace(5) %24, align 4
  %25 = getelementptr i32, ptr addrspace(5) %18, i32 5
  store i32 385, ptr addrspace(5) %25, align 4
  %26 = getelementptr i32, ptr addrspace(5) %18, i32 6
  store i32 462, ptr addrspace(5) %26, align 4
  %27 = getelementptr i32, ptr addrspace(5) %18, i32 7
  store i32 539, ptr addrspace(5) %27, align 4
  %28 = getelementptr i32, ptr addrspace(5) %18, i32 8
  store i32 616, ptr addrspace(5) %28, align 4
  %29 = getelementptr i32, ptr addrspace(5) %18, i32 9
  store i32 693, ptr addrspace(5) %29, align 4
  %30 = getelementptr i32, ptr addrspace(5) %18, i32 10
  store i32 770, ptr addrspace(5) %30, align 4
  %31 = getelementptr i32, ptr addrspace(5) %18, i32 11
  store i32 847, ptr addrspace(5) %31, align 4
  %32 = getelementptr i32, ptr addrspace(5) %18, i32 12
  store i32 924, ptr addrspace(5) %32, align 4
  %33 = getelementptr i32, ptr addrspace(5) %18, i32 13
  store i32 1001, ptr addrspace(5) %33, align 4
  %34 = getelementptr i32, ptr addrspace(5) %18, i32 14
  store i32 1078, ptr addrspace(5) %34, align 4
  %35 = getelementptr i32, ptr addrspace(5) %18, i32 15
  store i32 1155, ptr addrspace(5) %35, align 4
  %36 = getelementptr i8, ptr addrspace(3) %9, i32 0
  store i32 0, ptr addrspace(3) %36, align 4
  %37 = getelementptr i8, ptr addrspace(3) %9, i32 4
  store i32 52, ptr addrspace(3) %37, align 4
  %38 = getelementptr i8, ptr addrspace(3) %9, i32 8
  store i32 104, ptr addrspace(3) %38, align 4
  %39 = getelementptr i8, ptr addrspace(3) %9, i32 12
  store i32 156, ptr addrspace(3) %39, align 4
  %40 = getelementptr i8, ptr addrspace(3) %9, i32 16
  store i32 208, ptr addrspace(3) %40, align 4
  %41 = getelementptr i8, ptr addrspace(3) %9, i32 20
  store i32 260, ptr addrspace(3) %41, align 4
  %42 = getelementptr i8, ptr addrspace(3) %9, i32 24
  store i32 312, ptr addrspace(3) %42, align 4
  %43 = getelementptr i8, ptr addrspace(3) %9, i32 28
  store i32 364, ptr addrspace(3) %43, align 4
  %44 = getelementptr i8, ptr addrspace(3) %9, i32 32
  store i32 416, ptr addrspace(3) %44, align 4
  %45 = getelementptr i8, ptr addrspace(3) %9, i32 36
  store i32 468, ptr addrspace(3) %45, align 4
  %46 = getelementptr i8, ptr addrspace(3) %9, i32 40
  store i32 520, ptr addrspace(3) %46, align 4
  %47 = getelementptr i8, ptr addrspace(3) %9, i32 44
  store i32 572, ptr addrspace(3) %47, align 4
  %48 = getelementptr i8, ptr addrspace(3) %9, i32 48
  store i32 624, ptr addrspace(3) %48, align 4
  %49 = getelementptr i8, ptr addrspace(3) %9, i32 52
  store i32 676, ptr addrspace(3) %49, align 4
  %50 = getelementptr i8, ptr addrspace(3) %9, i32 56
  store i32 728, ptr addrspace(3) %50, align 4
  %51 = getelementptr i8, ptr addrspace(3) %9, i32 60
  store i32 780, ptr addrspace(3) %51, align 4
  %52 = getelementptr i8, ptr addrspace(1) %14, i64 24
  %53 = load i64, ptr addrspace(1) %52, align 8
  %54 = getelementptr i8, ptr addrspace(1) %14, i64 40
  %55 = load <2 x float>, ptr addrspace(1) %54, align 8
  %56 = getelementptr i8, ptr addrspace(1) %14, i64 0
  %57 = load i64, ptr addrspace(1) %56, align 8
  %58 = getelementptr i8, ptr addrspace(1) %14, i64 88
  %59 = load double, ptr addrspace(1) %58, align 8
  %60 = getelementptr i8, ptr addrspace(1) %14, i64 216
  %61 = load i64, ptr addrspace(1) %60, align 8
  %62 = getelementptr i8, ptr addrspace(1) %14, i64 232
  %63 = load i32, ptr addrspace(1) %62, align 4
  %64 = getelementptr i8, ptr addrspace(1) %14, i64 120
  %65 = load half, ptr addrspace(1) %64, align 2
  %66 = getelementptr i8, ptr addrspace(1) %14, i64 0
  %67 = load <2 x i16>, ptr addrspace(1) %66, align 4
  %68 = and i32 %6, 127
  %69 = zext i32 %68 to i64
  %70 = mul i64 %69, 2
  %71 = getelementptr i8, ptr addrspace(1) %14, i64 %70
  %72 = load half, ptr addrspace(1) %71, align 2
  %73 = and i32 %2, 127
  %74 = zext i32 %73 to i64
  %75 = mul i64 %74, 2
  %76 = getelementptr i8, ptr addrspace(1) %14, i64 %75
  %77 = load half, ptr addrspace(1) %76, align 2
  %78 = fpext float %4 to double
  %79 = call <2 x float> @llvm.copysign.v2f32(<2 x float> <float 3.000000e+00, float 9.312500e+00>, <2 x float> <float 5.000000e-01, float -1.218750e+01>)
  %80 = fcmp uno double %59, 5.187500e+01
  %81 = select i1 %80, float -4.875000e+00, float %4
  %82 = and i32 %7, 63
  %83 = mul i32 %82, 1
  %84 = getelementptr i8, ptr addrspace(3) %9, i32 %83
  %85 = load i8, ptr addrspace(3) %84, align 1
  %86 = fcmp one float %81, %4
  %87 = select i1 %86, i8 %85, i8 -42
  %88 = icmp uge i64 %61, %3
  %89 = select i1 %88, <2 x float> %79, <2 x float> %55
  %90 = and i32 %7, 3
  br label %loop

exit:                                             ; preds = %join, %entry
  ret void

loop:                                             ; preds = %round, %body
  %91 = phi i32 [ 0, %body ], [ %103, %round ]
  %92 = phi half [ %77, %body ], [ 0xH7C00, %round ]
  %93 = icmp ult i32 %91, %90
  br i1 %93, label %round, label %after

round:                                            ; preds = %loop
  %94 = and i32 %6, 31
  %95 = mul i32 %94, 4
  %96 = zext i32 %95 to i64
  %97 = getelementptr i8, ptr addrspace(1) %17, i64 %96
  %98 = atomicrmw max ptr addrspace(1) %97, i32 %7 syncscope("agent") monotonic, align 4
  %99 = and i32 %6, 15
  %100 = mul i32 %99, 4
  %101 = getelementptr i8, ptr addrspace(3) %9, i32 %100
  %102 = atomicrmw umax ptr addrspace(3) %101, i32 %63 syncscope("agent") monotonic, align 4
  %103 = add i32 %91, 1
  br label %loop

after:                                            ; preds = %loop
  %104 = call <2 x half> @llvm.copysign.v2f16(<2 x half> <half 0xH8000, half 0xH2423>, <2 x half> <half 0xH8000, half 0xH2423>)
  %105 = add i64 %61, %61
  %106 = call <2 x float> @llvm.minimum.v2f32(<2 x float> %89, <2 x float> %79)
  %107 = call i64 @llvm.ctpop.i64(i64 %105)
  %108 = call float @llvm.floor.f32(float %81)
  %109 = call i64 @llvm.cttz.i64(i64 %3, i1 false)
  %110 = call double @llvm.fabs.f64(double %78)
  %111 = fneg double %59
  %112 = fmul double %111, %110
  %113 = and i32 %11, 15
  %114 = getelementptr i32, ptr addrspace(5) %18, i32 %113
  %115 = load i32, ptr addrspace(5) %114, align 4
  %116 = select i1 false, float %4, float %4
  %117 = fdiv float %116, %4
  %118 = fcmp ole double %59, %59
  %119 = select i1 %118, i8 %85, i8 %87
  %120 = getelementptr i32, ptr addrspace(5) %18, i32 1
  %121 = load i32, ptr addrspace(5) %120, align 4
  %122 = and i32 %63, 31
  %123 = mul i32 %122, 2
  %124 = getelementptr i8, ptr addrspace(3) %9, i32 %123
  store i16 1, ptr addrspace(3) %124, align 2
  %125 = fcmp ueq double %78, %112
  %126 = select i1 %125, double %59, double %78
  %127 = and i32 %11, 15
  %128 = mul i32 %127, 4
  %129 = getelementptr i8, ptr addrspace(3) %9, i32 %128
  store i32 %121, ptr addrspace(3) %129, align 4
  %130 = fdiv float %116, %81
  %131 = mul i64 %3, %3
  %132 = fmul double %112, %78
  %133 = select i1 false, <2 x float> %79, <2 x float> %79
  %134 = call float asm "", "=v,0"(float %117)
  %135 = fptrunc float %134 to half
  %136 = extractelement <2 x float> %133, i64 0
  %137 = call i8 @llvm.uadd.sat.i8(i8 %119, i8 1)
  %138 = call i8 @llvm.ctpop.i8(i8 1)
  %139 = call <2 x half> @llvm.fabs.v2f16(<2 x half> <half 0xH8000, half 0xH2423>)
  %140 = and i32 %2, 3
  br label %loop1

loop1:                                            ; preds = %round2, %after
  %141 = phi i32 [ 0, %after ], [ %145, %round2 ]
  %142 = phi <2 x half> [ %104, %after ], [ %142, %round2 ]
  %143 = icmp ult i32 %141, %140
  br i1 %143, label %round2, label %after3

round2:                                           ; preds = %loop1
  %144 = insertelement <2 x i16> %67, i16 20658, i64 1
  %145 = add i32 %141, 1
  br label %loop1

after3:                                           ; preds = %loop1
  %146 = sext i8 %138 to i64
  %147 = select i1 true, float %108, float %108
  br i1 false, label %then, label %else

then:                                             ; preds = %after3
  %148 = and i32 %121, 31
  %149 = lshr i32 %6, %148
  br label %join

else:                                             ; preds = %after3
  %150 = fcmp ogt float %147, %136
  %151 = xor i1 %150, false
  %152 = select i1 %151, half %92, half %135
  %153 = call i32 @llvm.fptoui.sat.i32.f64(double %126)
  %154 = icmp eq i32 %6, 0
  %155 = select i1 %154, i32 1, i32 %6
  %156 = urem i32 %115, %155
  %157 = select i1 true, <2 x i16> %67, <2 x i16> %67
  br label %join

join:                                             ; preds = %else, %then
  %158 = phi half [ %135, %then ], [ 0xH7E00, %else ]
  %159 = call i64 @llvm.smax.i64(i64 %146, i64 4568690449709286002)
  %160 = fcmp uno float %136, %136
  %161 = select i1 %160, float 1.500000e+00, float %136
  %162 = call float @llvm.copysign.f32(float %108, float %161)
  %163 = add i64 %105, %107
  %164 = call float asm "", "=v,0"(float %136)
  %165 = fptrunc float %164 to half
  %166 = ashr i32 %115, 31
  %167 = fadd double %59, %132
  %168 = mul i32 %2, %2
  %169 = call float @llvm.fma.f32(float 0x3E7AD7F2A0000000, float %147, float %108)
  %170 = and i32 %63, 15
  %171 = getelementptr i32, ptr addrspace(5) %18, i32 %170
  store i32 %6, ptr addrspace(5) %171, align 4
  %172 = fsub <2 x float> %106, <float 2.000000e+00, float -0.000000e+00>
  %173 = icmp sgt i64 %105, %163
  %174 = select i1 %173, <2 x half> <half 0xH8000, half 0xH2423>, <2 x half> %104
  %175 = fptrunc double %78 to float
  %176 = call half @llvm.trunc.f16(half %165)
  %177 = call half @llvm.rint.f16(half %77)
  %178 = call half @llvm.sqrt.f16(half %92)
  %179 = and i32 %6, 15
  %180 = getelementptr i32, ptr addrspace(5) %18, i32 %179
  %181 = load i32, ptr addrspace(5) %180, align 4
  %182 = getelementptr i8, ptr addrspace(1) %16, i64 0
  store i32 %11, ptr addrspace(1) %182, align 4
  %183 = getelementptr i8, ptr addrspace(1) %16, i64 8
  store i64 %53, ptr addrspace(1) %183, align 8
  %184 = extractelement <2 x float> %55, i64 0
  %185 = getelementptr i8, ptr addrspace(1) %16, i64 16
  store float %184, ptr addrspace(1) %185, align 4
  %186 = extractelement <2 x float> %55, i64 1
  %187 = getelementptr i8, ptr addrspace(1) %16, i64 20
  store float %186, ptr addrspace(1) %187, align 4
  %188 = getelementptr i8, ptr addrspace(1) %16, i64 24
  store i64 %57, ptr addrspace(1) %188, align 8
  %189 = getelementptr i8, ptr addrspace(1) %16, i64 32
  store double %59, ptr addrspace(1) %189, align 8
  %190 = getelementptr i8, ptr addrspace(1) %16, i64 40
  store i64 %61, ptr addrspace(1) %190, align 8
  %191 = getelementptr i8, ptr addrspace(1) %16, i64 48
  store i32 %63, ptr addrspace(1) %191, align 4
  %192 = getelementptr i8, ptr addrspace(1) %16, i64 52
  store half %65, ptr addrspace(1) %192, align 2
  %193 = extractelement <2 x i16> %67, i64 0
  %194 = getelementptr i8, ptr addrspace(1) %16, i64 54
  store i16 %193, ptr addrspace(1) %194, align 2
  %195 = extractelement <2 x i16> %67, i64 1
  %196 = getelementptr i8, ptr addrspace(1) %16, i64 56
  store i16 %195, ptr addrspace(1) %196, align 2
  %197 = getelementptr i8, ptr addrspace(1) %16, i64 58
  store half %72, ptr addrspace(1) %197, align 2
  %198 = getelementptr i8, ptr addrspace(1) %16, i64 60
  store half %77, ptr addrspace(1) %198, align 2
  %199 = zext i1 %80 to i8
  %200 = getelementptr i8, ptr addrspace(1) %16, i64 62
  store i8 %199, ptr addrspace(1) %200, align 1
  %201 = getelementptr i8, ptr addrspace(1) %16, i64 64
  store float %81, ptr addrspace(1) %201, align 4
  %202 = getelementptr i8, ptr addrspace(1) %16, i64 68
  store i8 %85, ptr addrspace(1) %202, align 1
  %203 = zext i1 %86 to i8
  %204 = getelementptr i8, ptr addrspace(1) %16, i64 69
  store i8 %203, ptr addrspace(1) %204, align 1
  %205 = getelementptr i8, ptr addrspace(1) %16, i64 70
  store i8 %87, ptr addrspace(1) %205, align 1
  %206 = zext i1 %88 to i8
  %207 = getelementptr i8, ptr addrspace(1) %16, i64 71
  store i8 %206, ptr addrspace(1) %207, align 1
  %208 = extractelement <2 x float> %89, i64 0
  %209 = getelementptr i8, ptr addrspace(1) %16, i64 72
  store float %208, ptr addrspace(1) %209, align 4
  %210 = extractelement <2 x float> %89, i64 1
  %211 = getelementptr i8, ptr addrspace(1) %16, i64 76
  store float %210, ptr addrspace(1) %211, align 4
  %212 = getelementptr i8, ptr addrspace(1) %16, i64 80
  store half %92, ptr addrspace(1) %212, align 2
  %213 = extractelement <2 x half> %104, i64 0
  %214 = getelementptr i8, ptr addrspace(1) %16, i64 82
  store half %213, ptr addrspace(1) %214, align 2
  %215 = extractelement <2 x half> %104, i64 1
  %216 = getelementptr i8, ptr addrspace(1) %16, i64 84
  store half %215, ptr addrspace(1) %216, align 2
  %217 = getelementptr i8, ptr addrspace(1) %16, i64 88
  store i64 %105, ptr addrspace(1) %217, align 8
  %218 = extractelement <2 x float> %106, i64 0
  %219 = getelementptr i8, ptr addrspace(1) %16, i64 96
  store float %218, ptr addrspace(1) %219, align 4
  %220 = extractelement <2 x float> %106, i64 1
  %221 = getelementptr i8, ptr addrspace(1) %16, i64 100
  store float %220, ptr addrspace(1) %221, align 4
  %222 = getelementptr i8, ptr addrspace(1) %16, i64 104
  store i64 %107, ptr addrspace(1) %222, align 8
  %223 = getelementptr i8, ptr addrspace(1) %16, i64 112
  store float %108, ptr addrspace(1) %223, align 4
  %224 = getelementptr i8, ptr addrspace(1) %16, i64 120
  store i64 %109, ptr addrspace(1) %224, align 8
  %225 = getelementptr i8, ptr addrspace(1) %16, i64 128
  store double %112, ptr addrspace(1) %225, align 8
  %226 = getelementptr i8, ptr addrspace(1) %16, i64 136
  store i16 1, ptr addrspace(1) %226, align 2
  %227 = getelementptr i8, ptr addrspace(1) %16, i64 140
  store i32 %115, ptr addrspace(1) %227, align 4
  %228 = zext i1 %118 to i8
  %229 = getelementptr i8, ptr addrspace(1) %16, i64 144
  store i8 %228, ptr addrspace(1) %229, align 1
  %230 = getelementptr i8, ptr addrspace(1) %16, i64 145
  store i8 %119, ptr addrspace(1) %230, align 1
  %231 = getelementptr i8, ptr addrspace(1) %16, i64 148
  store i32 %121, ptr addrspace(1) %231, align 4
  %232 = zext i1 %125 to i8
  %233 = getelementptr i8, ptr addrspace(1) %16, i64 152
  store i8 %232, ptr addrspace(1) %233, align 1
  %234 = getelementptr i8, ptr addrspace(1) %16, i64 160
  store double %126, ptr addrspace(1) %234, align 8
  %235 = getelementptr i8, ptr addrspace(1) %16, i64 168
  store float %130, ptr addrspace(1) %235, align 4
  %236 = getelementptr i8, ptr addrspace(1) %16, i64 172
  store float 0x7FF8000000000000, ptr addrspace(1) %236, align 4
  %237 = getelementptr i8, ptr addrspace(1) %16, i64 176
  store double %132, ptr addrspace(1) %237, align 8
  %238 = getelementptr i8, ptr addrspace(1) %16, i64 184
  store i8 %137, ptr addrspace(1) %238, align 1
  %239 = extractelement <2 x half> %142, i64 0
  %240 = getelementptr i8, ptr addrspace(1) %16, i64 186
  store half %239, ptr addrspace(1) %240, align 2
  %241 = extractelement <2 x half> %142, i64 1
  %242 = getelementptr i8, ptr addrspace(1) %16, i64 188
  store half %241, ptr addrspace(1) %242, align 2
  %243 = getelementptr i8, ptr addrspace(1) %16, i64 192
  store i64 %146, ptr addrspace(1) %243, align 8
  %244 = getelementptr i8, ptr addrspace(1) %16, i64 200
  store i8 1, ptr addrspace(1) %244, align 1
  %245 = getelementptr i8, ptr addrspace(1) %16, i64 201
  store i8 1, ptr addrspace(1) %245, align 1
  %246 = getelementptr i8, ptr addrspace(1) %16, i64 204
  store float %147, ptr addrspace(1) %246, align 4
  %247 = getelementptr i8, ptr addrspace(1) %16, i64 208
  store half %158, ptr addrspace(1) %247, align 2
  %248 = getelementptr i8, ptr addrspace(1) %16, i64 216
  store i64 %159, ptr addrspace(1) %248, align 8
  %249 = getelementptr i8, ptr addrspace(1) %16, i64 224
  store float %162, ptr addrspace(1) %249, align 4
  %250 = getelementptr i8, ptr addrspace(1) %16, i64 232
  store i64 %163, ptr addrspace(1) %250, align 8
  %251 = getelementptr i8, ptr addrspace(1) %16, i64 240
  store i32 %166, ptr addrspace(1) %251, align 4
  %252 = getelementptr i8, ptr addrspace(1) %16, i64 248
  store double %167, ptr addrspace(1) %252, align 8
  %253 = getelementptr i8, ptr addrspace(1) %16, i64 256
  store float %169, ptr addrspace(1) %253, align 4
  %254 = extractelement <2 x float> %172, i64 0
  %255 = getelementptr i8, ptr addrspace(1) %16, i64 260
  store float %254, ptr addrspace(1) %255, align 4
  %256 = extractelement <2 x float> %172, i64 1
  %257 = getelementptr i8, ptr addrspace(1) %16, i64 264
  store float %256, ptr addrspace(1) %257, align 4
  %258 = zext i1 %173 to i8
  %259 = getelementptr i8, ptr addrspace(1) %16, i64 268
  store i8 %258, ptr addrspace(1) %259, align 1
  %260 = extractelement <2 x half> %174, i64 0
  %261 = getelementptr i8, ptr addrspace(1) %16, i64 270
  store half %260, ptr addrspace(1) %261, align 2
  %262 = extractelement <2 x half> %174, i64 1
  %263 = getelementptr i8, ptr addrspace(1) %16, i64 272
  store half %262, ptr addrspace(1) %263, align 2
  %264 = getelementptr i8, ptr addrspace(1) %16, i64 274
  store half %177, ptr addrspace(1) %264, align 2
  %265 = getelementptr i8, ptr addrspace(1) %16, i64 276
  store half %178, ptr addrspace(1) %265, align 2
  %266 = getelementptr i8, ptr addrspace(1) %16, i64 280
  store i32 %181, ptr addrspace(1) %266, align 4
  %267 = getelementptr i8, ptr addrspace(1) %16, i64 288
  store double %78, ptr addrspace(1) %267, align 8
  %268 = extractelement <2 x float> %79, i64 0
  %269 = getelementptr i8, ptr addrspace(1) %16, i64 296
  store float %268, ptr addrspace(1) %269, align 4
  %270 = extractelement <2 x float> %79, i64 1
  %271 = getelementptr i8, ptr addrspace(1) %16, i64 300
  store float %270, ptr addrspace(1) %271, align 4
  %272 = getelementptr i8, ptr addrspace(1) %16, i64 304
  store i16 20658, ptr addrspace(1) %272, align 2
  %273 = getelementptr i8, ptr addrspace(1) %16, i64 306
  store half 0xH8000, ptr addrspace(1) %273, align 2
  %274 = getelementptr i8, ptr addrspace(1) %16, i64 308
  store half 0xH2423, ptr addrspace(1) %274, align 2
  %275 = getelementptr i8, ptr addrspace(1) %16, i64 310
  store half 0xH7C00, ptr addrspace(1) %275, align 2
  %276 = getelementptr i8, ptr addrspace(1) %16, i64 312
  store half 0xH7E00, ptr addrspace(1) %276, align 2
  %277 = getelementptr i8, ptr addrspace(1) %16, i64 314
  store i8 0, ptr addrspace(1) %277, align 1
  %278 = getelementptr i8, ptr addrspace(1) %16, i64 316
  store float %116, ptr addrspace(1) %278, align 4
  %279 = getelementptr i8, ptr addrspace(1) %16, i64 320
  store float %117, ptr addrspace(1) %279, align 4
  %280 = getelementptr i8, ptr addrspace(1) %16, i64 324
  store i8 1, ptr addrspace(1) %280, align 1
  %281 = getelementptr i8, ptr addrspace(1) %16, i64 328
  store i64 %131, ptr addrspace(1) %281, align 8
  %282 = getelementptr i8, ptr addrspace(1) %16, i64 336
  store i8 0, ptr addrspace(1) %282, align 1
  %283 = extractelement <2 x float> %133, i64 0
  %284 = getelementptr i8, ptr addrspace(1) %16, i64 340
  store float %283, ptr addrspace(1) %284, align 4
  %285 = extractelement <2 x float> %133, i64 1
  %286 = getelementptr i8, ptr addrspace(1) %16, i64 344
  store float %285, ptr addrspace(1) %286, align 4
  %287 = getelementptr i8, ptr addrspace(1) %16, i64 348
  store half %135, ptr addrspace(1) %287, align 2
  %288 = getelementptr i8, ptr addrspace(1) %16, i64 352
  store float %136, ptr addrspace(1) %288, align 4
  %289 = getelementptr i8, ptr addrspace(1) %16, i64 356
  store i8 %138, ptr addrspace(1) %289, align 1
  %290 = extractelement <2 x half> %139, i64 0
  %291 = getelementptr i8, ptr addrspace(1) %16, i64 358
  store half %290, ptr addrspace(1) %291, align 2
  %292 = extractelement <2 x half> %139, i64 1
  %293 = getelementptr i8, ptr addrspace(1) %16, i64 360
  store half %292, ptr addrspace(1) %293, align 2
  %294 = getelementptr i8, ptr addrspace(1) %16, i64 362
  store half %165, ptr addrspace(1) %294, align 2
  %295 = getelementptr i8, ptr addrspace(1) %16, i64 364
  store i32 %168, ptr addrspace(1) %295, align 4
  %296 = getelementptr i8, ptr addrspace(1) %16, i64 368
  store i16 1, ptr addrspace(1) %296, align 2
  %297 = getelementptr i8, ptr addrspace(1) %16, i64 372
  store float %175, ptr addrspace(1) %297, align 4
  %298 = getelementptr i8, ptr addrspace(1) %16, i64 376
  store half %176, ptr addrspace(1) %298, align 2
  %299 = getelementptr i32, ptr addrspace(5) %18, i32 0
  %300 = load i32, ptr addrspace(5) %299, align 4
  %301 = getelementptr i8, ptr addrspace(1) %16, i64 380
  store i32 %300, ptr addrspace(1) %301, align 4
  %302 = getelementptr i32, ptr addrspace(5) %18, i32 1
  %303 = load i32, ptr addrspace(5) %302, align 4
  %304 = getelementptr i8, ptr addrspace(1) %16, i64 384
  store i32 %303, ptr addrspace(1) %304, align 4
  %305 = getelementptr i32, ptr addrspace(5) %18, i32 2
  %306 = load i32, ptr addrspace(5) %305, align 4
  %307 = getelementptr i8, ptr addrspace(1) %16, i64 388
  store i32 %306, ptr addrspace(1) %307, align 4
  %308 = getelementptr i32, ptr addrspace(5) %18, i32 3
  %309 = load i32, ptr addrspace(5) %308, align 4
  %310 = getelementptr i8, ptr addrspace(1) %16, i64 392
  store i32 %309, ptr addrspace(1) %310, align 4
  %311 = getelementptr i32, ptr addrspace(5) %18, i32 4
  %312 = load i32, ptr addrspace(5) %311, align 4
  %313 = getelementptr i8, ptr addrspace(1) %16, i64 396
  store i32 %312, ptr addrspace(1) %313, align 4
  %314 = getelementptr i32, ptr addrspace(5) %18, i32 5
  %315 = load i32, ptr addrspace(5) %314, align 4
  %316 = getelementptr i8, ptr addrspace(1) %16, i64 400
  store i32 %315, ptr addrspace(1) %316, align 4
  %317 = getelementptr i32, ptr addrspace(5) %18, i32 6
  %318 = load i32, ptr addrspace(5) %317, align 4
  %319 = getelementptr i8, ptr addrspace(1) %16, i64 404
  store i32 %318, ptr addrspace(1) %319, align 4
  %320 = getelementptr i32, ptr addrspace(5) %18, i32 7
  %321 = load i32, ptr addrspace(5) %320, align 4
  %322 = getelementptr i8, ptr addrspace(1) %16, i64 408
  store i32 %321, ptr addrspace(1) %322, align 4
  %323 = getelementptr i32, ptr addrspace(5) %18, i32 8
  %324 = load i32, ptr addrspace(5) %323, align 4
  %325 = getelementptr i8, ptr addrspace(1) %16, i64 412
  store i32 %324, ptr addrspace(1) %325, align 4
  %326 = getelementptr i32, ptr addrspace(5) %18, i32 9
  %327 = load i32, ptr addrspace(5) %326, align 4
  %328 = getelementptr i8, ptr addrspace(1) %16, i64 416
  store i32 %327, ptr addrspace(1) %328, align 4
  %329 = getelementptr i32, ptr addrspace(5) %18, i32 10
  %330 = load i32, ptr addrspace(5) %329, align 4
  %331 = getelementptr i8, ptr addrspace(1) %16, i64 420
  store i32 %330, ptr addrspace(1) %331, align 4
  %332 = getelementptr i32, ptr addrspace(5) %18, i32 11
  %333 = load i32, ptr addrspace(5) %332, align 4
  %334 = getelementptr i8, ptr addrspace(1) %16, i64 424
  store i32 %333, ptr addrspace(1) %334, align 4
  %335 = getelementptr i32, ptr addrspace(5) %18, i32 12
  %336 = load i32, ptr addrspace(5) %335, align 4
  %337 = getelementptr i8, ptr addrspace(1) %16, i64 428
  store i32 %336, ptr addrspace(1) %337, align 4
  %338 = getelementptr i32, ptr addrspace(5) %18, i32 13
  %339 = load i32, ptr addrspace(5) %338, align 4
  %340 = getelementptr i8, ptr addrspace(1) %16, i64 432
  store i32 %339, ptr addrspace(1) %340, align 4
  %341 = getelementptr i32, ptr addrspace(5) %18, i32 14
  %342 = load i32, ptr addrspace(5) %341, align 4
  %343 = getelementptr i8, ptr addrspace(1) %16, i64 436
  store i32 %342, ptr addrspace(1) %343, align 4
  %344 = getelementptr i32, ptr addrspace(5) %18, i32 15
  %345 = load i32, ptr addrspace(5) %344, align 4
  %346 = getelementptr i8, ptr addrspace(1) %16, i64 440
  store i32 %345, ptr addrspace(1) %346, align 4
  %347 = getelementptr i8, ptr addrspace(3) %9, i32 0
  %348 = load i32, ptr addrspace(3) %347, align 4
  %349 = getelementptr i8, ptr addrspace(1) %16, i64 444
  store i32 %348, ptr addrspace(1) %349, align 4
  %350 = getelementptr i8, ptr addrspace(3) %9, i32 4
  %351 = load i32, ptr addrspace(3) %350, align 4
  %352 = getelementptr i8, ptr addrspace(1) %16, i64 448
  store i32 %351, ptr addrspace(1) %352, align 4
  %353 = getelementptr i8, ptr addrspace(3) %9, i32 8
  %354 = load i32, ptr addrspace(3) %353, align 4
  %355 = getelementptr i8, ptr addrspace(1) %16, i64 452
  store i32 %354, ptr addrspace(1) %355, align 4
  %356 = getelementptr i8, ptr addrspace(3) %9, i32 12
  %357 = load i32, ptr addrspace(3) %356, align 4
  %358 = getelementptr i8, ptr addrspace(1) %16, i64 456
  store i32 %357, ptr addrspace(1) %358, align 4
  %359 = getelementptr i8, ptr addrspace(3) %9, i32 16
  %360 = load i32, ptr addrspace(3) %359, align 4
  %361 = getelementptr i8, ptr addrspace(1) %16, i64 460
  store i32 %360, ptr addrspace(1) %361, align 4
  %362 = getelementptr i8, ptr addrspace(3) %9, i32 20
  %363 = load i32, ptr addrspace(3) %362, align 4
  %364 = getelementptr i8, ptr addrspace(1) %16, i64 464
  store i32 %363, ptr addrspace(1) %364, align 4
  %365 = getelementptr i8, ptr addrspace(3) %9, i32 24
  %366 = load i32, ptr addrspace(3) %365, align 4
  %367 = getelementptr i8, ptr addrspace(1) %16, i64 468
  store i32 %366, ptr addrspace(1) %367, align 4
  %368 = getelementptr i8, ptr addrspace(3) %9, i32 28
  %369 = load i32, ptr addrspace(3) %368, align 4
  %370 = getelementptr i8, ptr addrspace(1) %16, i64 472
  store i32 %369, ptr addrspace(1) %370, align 4
  %371 = getelementptr i8, ptr addrspace(3) %9, i32 32
  %372 = load i32, ptr addrspace(3) %371, align 4
  %373 = getelementptr i8, ptr addrspace(1) %16, i64 476
  store i32 %372, ptr addrspace(1) %373, align 4
  %374 = getelementptr i8, ptr addrspace(3) %9, i32 36
  %375 = load i32, ptr addrspace(3) %374, align 4
  %376 = getelementptr i8, ptr addrspace(1) %16, i64 480
  store i32 %375, ptr addrspace(1) %376, align 4
  %377 = getelementptr i8, ptr addrspace(3) %9, i32 40
  %378 = load i32, ptr addrspace(3) %377, align 4
  %379 = getelementptr i8, ptr addrspace(1) %16, i64 484
  store i32 %378, ptr addrspace(1) %379, align 4
  %380 = getelementptr i8, ptr addrspace(3) %9, i32 44
  %381 = load i32, ptr addrspace(3) %380, align 4
  %382 = getelementptr i8, ptr addrspace(1) %16, i64 488
  store i32 %381, ptr addrspace(1) %382, align 4
  %383 = getelementptr i8, ptr addrspace(3) %9, i32 48
  %384 = load i32, ptr addrspace(3) %383, align 4
  %385 = getelementptr i8, ptr addrspace(1) %16, i64 492
  store i32 %384, ptr addrspace(1) %385, align 4
  %386 = getelementptr i8, ptr addrspace(3) %9, i32 52
  %387 = load i32, ptr addrspace(3) %386, align 4
  %388 = getelementptr i8, ptr addrspace(1) %16, i64 496
  store i32 %387, ptr addrspace(1) %388, align 4
  %389 = getelementptr i8, ptr addrspace(3) %9, i32 56
  %390 = load i32, ptr addrspace(3) %389, align 4
  %391 = getelementptr i8, ptr addrspace(1) %16, i64 500
  store i32 %390, ptr addrspace(1) %391, align 4
  %392 = getelementptr i8, ptr addrspace(3) %9, i32 60
  %393 = load i32, ptr addrspace(3) %392, align 4
  %394 = getelementptr i8, ptr addrspace(1) %16, i64 504
  store i32 %393, ptr addrspace(1) %394, align 4
  br label %exit
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef range(i32 0, 1024) i32 @llvm.amdgcn.workitem.id.x() #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare noundef i32 @llvm.amdgcn.workgroup.id.x() #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x float> @llvm.copysign.v2f32(<2 x float>, <2 x float>) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x half> @llvm.copysign.v2f16(<2 x half>, <2 x half>) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x float> @llvm.minimum.v2f32(<2 x float>, <2 x float>) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.floor.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.cttz.i64(i64, i1 immarg) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.uadd.sat.i8(i8, i8) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i8 @llvm.ctpop.i8(i8) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare <2 x half> @llvm.fabs.v2f16(<2 x half>) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fptoui.sat.i32.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.smax.i64(i64, i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.copysign.f32(float, float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.trunc.f16(half) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.rint.f16(half) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare half @llvm.sqrt.f16(half) #2

attributes #0 = { nounwind "amdgpu-flat-work-group-size"="96,96" "denormal-fp-math"="ieee,ieee" "no-trapping-math"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0}

!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
